#!/bin/sh
# Runs in a Debian 13 of the building machine's own kind: builds what that release lacks, and our own packages.
# The first argument says which; the result lies in /out.
set -eu
export DEB_BUILD_OPTIONS=nocheck DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
mkdir -p /out
case $1 in
gpiozero)
    # Debian's newer source package as it is, but for a version below its own.
    cd /tmp
    apt-get source -q gpiozero
    cd gpiozero-*/
    sed -i '1s/(\([^)]*\))/(\1~bpo13+1)/' debian/changelog
    dpkg-buildpackage -us -uc -b
    mv ../python3-gpiozero_*.deb /out/
    rm -rf /tmp/gpiozero*
    ;;
box)
    make -C /source deb
    mv /source/build/deb/*.deb /out/
    ;;
esac
