"""A Wi-Fi in the emulated machine: two of the kernel's simulated radios, one of them an access point's."""

from __future__ import annotations

import subprocess
import tarfile
from pathlib import Path

from tests.system.image.machine import CACHE, CardPi

#: In a network namespace of its own, because a kernel talks to itself over no radio.
ACCESS_POINT = """\
set -eux
modprobe mac80211_hwsim radios=2
udevadm wait --timeout=300 /sys/class/net/wlan1
export PATH=$PATH:/usr/sbin:/run/hardware
unshare --net sleep infinity & pid=$!
mkdir -p /run/radio && cd /run/radio
enter="nsenter --net --target $pid"
while [ /proc/$pid/ns/net -ef /proc/self/ns/net ]; do sleep 0.5; done
iw phy "$(cat /sys/class/net/wlan1/phy80211/name)" set netns $pid
cat >ap.conf <<'AP'
interface=wlan1
driver=nl80211
ssid=@SSID@
country_code=BE
hw_mode=g
channel=6
wpa=2
@KEYS@
rsn_pairwise=CCMP
wpa_passphrase=@PASSWORD@
AP
$enter hostapd -B ap.conf
$enter busybox ip address add 10.9.0.1/24 dev wlan1
cat >dhcp.conf <<'DHCP'
start 10.9.0.2
end 10.9.0.2
interface wlan1
lease_file /run/radio/leases
option subnet 255.255.255.0
DHCP
touch leases
$enter busybox udhcpd dhcp.conf
# The access point has the cable, and leads whoever comes along it to the box.
wire=$(basename /sys/bus/virtio/drivers/virtio_net/virtio*/net/*)
busybox ip link set "$wire" netns $pid
$enter busybox ip address add 10.0.2.15/24 dev "$wire"
$enter busybox ip link set "$wire" up
$enter systemd-socket-activate --listen=8090 /usr/lib/systemd/systemd-socket-proxyd 10.9.0.2:8090 &
echo $pid >pid
"""
#: Asks everybody in that Wi-Fi for the box by its name, then opens the scoreboard by it.
GUEST = """\
import socket, urllib.request
wire = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
wire.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton("10.9.0.1"))
wire.settimeout(60)
name = b"@NAME@"
question = bytes((len(name),)) + name + b"\\5local\\0" + bytes((0, 1, 0, 1))
wire.sendto(bytes.fromhex("000000000001000000000000") + question, ("224.0.0.251", 5353))
assert socket.inet_aton("10.9.0.2") in wire.recv(1500)
page = urllib.request.Request("http://10.9.0.2:8090/", headers={"Host": "@NAME@.local:8090"})
print(urllib.request.urlopen(page, timeout=60).read().decode())
"""


def programs(to: Path) -> list[Path]:
    """The access point's program for arm64, which the card has no use for; its libraries do."""
    packed = CACHE / "radio.tar"
    if not packed.exists():
        part = packed.with_name("radio.part.tar")
        command = ["mmdebstrap", "--quiet", "--variant=extract", "--architectures=arm64"]
        subprocess.run([*command, "--include=hostapd", "trixie", part], check=True)
        part.rename(packed)
    with tarfile.open(packed) as archive:
        found = archive.extractfile("./usr/sbin/hostapd")
        assert found is not None
        (to / "hostapd").write_bytes(found.read())
        (to / "hostapd").chmod(0o755)
    return [to / "hostapd"]


def open_wifi(pi: CardPi, name: str, password: str, keys: str) -> None:
    """Lets a Wi-Fi be there; the box finds its own radio at the same moment."""
    script = ACCESS_POINT.replace("@SSID@", name).replace("@PASSWORD@", password).replace("@KEYS@", keys)
    pi.write("/run/access-point", script)
    pi.run("systemd-run --unit=access-point -p Type=forking -p RemainAfterExit=yes sh /run/access-point")


def fetched(pi: CardPi, name: str) -> str:
    """The scoreboard, as a guest in that Wi-Fi finds it by the box's name."""
    pi.write("/run/guest.py", GUEST.replace("@NAME@", name))
    return pi.run('nsenter --net --target "$(cat /run/radio/pid)" python3 /run/guest.py', check=False).out
