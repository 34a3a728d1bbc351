#!/bin/sh
# Hook of mmdebstrap, at the end: the box's own packages and settings, and nothing that differs between two builds.
#   finish.sh ROOT DEBS OVERLAY CERTIFICATE DISK VERSION [TAB]
set -eu
root=${1:?} debs=$2 overlay=$3 certificate=$4 disk=$5 version=$6 tab=${7:-}

mkdir "$root/debs"
for name in python3-gpiozero python3-gpiozero-gpiod python3-luma-spans python3-shutthebox shutthebox shutthebox-scoreboard shutthebox-uplink; do cp "$debs/${name}_"*.deb "$root/debs/"; done
chroot "$root" sh -c 'dpkg --install /debs/*.deb'
rm -r "$root/debs"

cp -R --preserve=mode "$overlay/." "$root/"
if [ -n "$tab" ]; then cp -R "$tab" "$root/usr/share/shutthebox/web"; fi
grep -rl '@DISK@' "$root/etc/rauc" "$root/etc/udev" "$root/usr/lib/shutthebox" | xargs sed -i "s/@DISK@/$disk/g"
cp "$certificate" "$root/etc/rauc/keyring.pem"
chmod 644 "$root/etc/rauc/keyring.pem"
echo "$version" >"$root/etc/shutthebox-card"
echo shutthebox >"$root/etc/hostname"
printf '127.0.0.1 localhost shutthebox\n::1 localhost\n' >"$root/etc/hosts"
: >"$root/etc/fstab"
# Systemd takes an empty one for a machine that has been started before.
: >"$root/etc/machine-id"
mkdir -p "$root/data" "$root/run/card"
chroot "$root" passwd --lock root >/dev/null
systemctl --root="$root" enable shutthebox-data.service shutthebox-card.service shutthebox-confirm.service shutthebox-restart.path
# No login anywhere but with a key, no network but a configured one, and nothing that waits for what is not there.
systemctl --root="$root" disable systemd-networkd.service systemd-networkd.socket systemd-resolved.service ssh.service ssh.socket sshd-keygen.service rauc.service wpa_supplicant.service 2>/dev/null || true
systemctl --root="$root" mask getty@.service serial-getty@.service getty.target systemd-networkd-wait-online.service \
    rauc-mark-good.service e2scrub_all.timer e2scrub_reap.service fstrim.timer dpkg-db-backup.timer \
    systemd-firstboot.service systemd-update-done.service ldconfig.service systemd-hwdb-update.service \
    systemd-journal-catalog-update.service systemd-random-seed.service systemd-pstore.service \
    systemd-growfs-root.service systemd-remount-fs.service apt-daily.timer apt-daily-upgrade.timer \
    remote-cryptsetup.target remote-fs.target systemd-machine-id-commit.service \
    dev-hugepages.mount dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount sys-fs-fuse-connections.mount \
    lighttpd.service modprobe@drm.service modprobe@fuse.service systemd-binfmt.service proc-sys-fs-binfmt_misc.automount \
    systemd-pcrphase.service systemd-pcrphase-sysinit.service systemd-pcrmachine.service >/dev/null
ln -sf /usr/lib/systemd/system/multi-user.target "$root/etc/systemd/system/default.target"

# Python compares each module with its source at every import otherwise: the fifth byte says so.
find "$root/usr/lib" "$root/usr/share" -name '*.pyc' -exec sh -c '
    for file; do
        if [ "$(od -An -tu1 -j4 -N1 "$file" | tr -d " ")" = 3 ]; then
            printf "\\001" | dd of="$file" bs=1 seek=4 conv=notrunc status=none
        fi
    done' sh {} +

rm -rf "$root"/var/cache/* "$root"/var/log/* "$root"/var/lib/apt/lists/* "$root"/tmp/* "${root:?}"/boot/* "$root"/root/.bash* \
    "$root"/etc/ssh/ssh_host_* "$root"/etc/apt/sources.list "$root"/var/lib/dpkg/*-old "$root"/var/backups/* \
    "$root"/etc/kernel "$root"/usr/sbin/update-tirfs \
    "$root"/var/lib/systemd/random-seed "$root"/etc/*- "$root"/etc/.pwd.lock "$root"/var/lib/ucf/*.[0-9]
mkdir -p "$root/var/log/journal" && rmdir "$root/var/log/journal"
