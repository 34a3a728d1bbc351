#!/bin/sh
# Hook of mmdebstrap, before anything is fetched: adds what the release alone has not.
#   sources.sh ROOT system     Debian's backports, for the kernel and the radio's firmware
#   sources.sh ROOT tools      the next release's source packages, for gpiozero
set -eu
list=$1/etc/apt/sources.list
mirror=$(sed -n 's/^deb \(\[[^]]*\] \)\?\([^ ]*\) trixie .*/\2/p' "$list" | head -n 1)
case $2 in
system)
    echo "deb $mirror trixie-backports main non-free-firmware" >>"$list"
    # The release's kernel has no drivers for a Pi 5, and no simulated pins to try the image on. With the release's
    # firmware no radio joins a Wi-Fi that knows WPA3 only.
    cat >"$1/etc/apt/preferences.d/backports" <<'PINS'
Package: src:linux src:linux-signed-arm64 linux-base firmware-brcm80211
Pin: release n=trixie-backports
Pin-Priority: 900
PINS
    # What the packages would run for a new kernel, and have no use for here: the initramfs is made outside.
    mkdir -p "$1/etc/kernel/postinst.d" "$1/usr/sbin"
    for name in /etc/kernel/postinst.d/z50-raspi-firmware /usr/sbin/update-tirfs; do
        printf '#!/bin/sh\n' >"$1$name"
        chmod 755 "$1$name"
    done
    ;;
# Signed all the same; but a mirror that lags behind by a week is good enough for one source package.
tools) echo "deb-src [check-valid-until=no] $mirror forky main" >>"$list" ;;
esac
