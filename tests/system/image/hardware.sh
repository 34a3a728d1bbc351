#!/bin/sh
# Builds what an emulated machine lacks to be a box: a display, as a module for the image's own kernel.
#   hardware.sh VERSION SOURCE TO
# In a Debian of its own with the kernel's headers and a compiler for arm64. Run by machine.py.
set -eu
version=$1 source=$2 to=$3
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
cat >"$build/make" <<SCRIPT
set -eu
cd /module
apt-get update -q
# The scripts of the kernel's own build come for arm64 only, and run emulated.
apt-get download -q linux-headers-$version:arm64 linux-headers-${version%-*}-common linux-kbuild-${version%-*}:arm64
for deb in *.deb; do dpkg-deb -x "\$deb" /; done
echo 'obj-m := i2c-panel.o' >Makefile
make -C /usr/src/linux-headers-$version M=/module ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- \\
    CC=aarch64-linux-gnu-gcc-14 CONFIG_DEBUG_INFO_BTF_MODULES= modules
aarch64-linux-gnu-strip --strip-debug i2c-panel.ko
SCRIPT
mmdebstrap --quiet --variant=apt --architectures=amd64,arm64 --include=gcc-14-aarch64-linux-gnu,make,libc6:arm64 \
    --setup-hook="$(dirname "$0")/../../../packaging/image/sources.sh \"\$1\" system" \
    --customize-hook='mkdir "$1/module"' --customize-hook="copy-in $source/i2c-panel.c $build/make /module" \
    --customize-hook='chroot "$1" sh /module/make >&2' --customize-hook="copy-out /module/i2c-panel.ko $to" \
    --format=null trixie -
