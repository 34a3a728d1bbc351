#!/bin/sh
# Runs in a Debian 13 of the building machine's own kind: builds what that release lacks, and our own packages.
# The first argument says which; the result lies in /out.
set -eu
export DEB_BUILD_OPTIONS=nocheck DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
mkdir -p /out
case $1 in
gpiozero)
    cd /tmp
    if apt-get source -q gpiozero; then
        # Debian's newer source package as it is, but for a version below its own, and for any machine: there is
        # nothing compiled in it.
        cd gpiozero-*/
        sed -i '1s/(\([^)]*\))/(\1~bpo13+1)/' debian/changelog
        sed -i 's/^Architecture: any/Architecture: all/' debian/control
        dpkg-buildpackage -us -uc -b
        mv ../python3-gpiozero_*.deb /out/
    else
        echo "This mirror lacks gpiozero's source package; using Debian's own build for the Pi." >&2
        sed -n 's/^deb-src \[/deb [arch=arm64 /p' /etc/apt/sources.list >/etc/apt/sources.list.d/next.list
        apt-get update -q
        apt-get download -q python3-gpiozero:arm64
        mv python3-gpiozero_*.deb /out/
        rm /etc/apt/sources.list.d/next.list
    fi
    # It asks for RPi.GPIO, which the box does not use and newer kernels do not let work.
    dpkg-deb --raw-extract /out/python3-gpiozero_*.deb deb
    rm /out/python3-gpiozero_*.deb
    sed -i '/^Depends:/s/python3-rpi.gpio, //' deb/DEBIAN/control
    SOURCE_DATE_EPOCH=$(stat --format=%Y deb/DEBIAN/md5sums) dpkg-deb --root-owner-group --build deb /out
    rm -rf deb /tmp/gpiozero*
    ;;
box)
    make -C /source deb
    mv /source/build/deb/*.deb /out/
    ;;
esac
