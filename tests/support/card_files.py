"""Files that an owner, or Raspberry Pi Imager, writes on the card."""

from __future__ import annotations

from shutthebox.config.schema import Config
from shutthebox.rules.equal_dice import FIRST_LINE

TOURNAMENT = f"{FIRST_LINE}\nname Spring cup\nseed {'0' * 64}\n"
CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBbzCCARWgAwIBAgIUWM7jFa5w7TgqZTbNJw4dzTJsZKIwCgYIKoZIzj0EAwIw
DDEKMAgGA1UEAwwBYTAgFw0yNjExMjYxNjI5MjFaGA8yMTI2MTEwMjE2MjkyMVow
DDEKMAgGA1UEAwwBYTBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPEZeX72XjVw
CfbyqdVAVAAnJXPR527PmBAaQNeBG47G85PjsgA5soBLzwvjdBIblENHo2PxJ2mr
JSS8QgQKyMijUzBRMB0GA1UdDgQWBBSrwLH3+NZoc8WEZnUv4CYp3ZTiCDAfBgNV
HSMEGDAWgBSrwLH3+NZoc8WEZnUv4CYp3ZTiCDAPBgNVHRMBAf8EBTADAQH/MAoG
CCqGSM49BAMCA0gAMEUCIQDLQ81VfCsNW60O70HQ6ZNF1pbOWC00sQvjyYUIUVzn
iwIgNZjOYx5X/Wrs8Tbi+AMe0Q3JUrcVQawZ7reLL74WI28=
-----END CERTIFICATE-----
"""
"""Of nobody."""


def any_box(config: Config, where: str) -> None:
    """A box on which every configuration can be played."""


KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFvrm6gWcMoXGqrgMzXyDGUwYqDUe1sX6xDGtEiX7gDn landlord@pub"
PSK = "5cf3cb0d95fbc06f0d1a7a2c09b1c2c1a5b2e2b3c4d5e6f708192a3b4c5d6e7f"
# As Imager 2 writes them with every page of its dialog filled in.
USER_DATA = f"""#cloud-config
hostname: the-anchor
manage_etc_hosts: true
packages:
- avahi-daemon
apt:
  conf: |
    Acquire {{
      Check-Date "false";
    }};
timezone: Europe/Paris
keyboard:
  model: pc105
  layout: "fr"
enable_ssh: true
users:
- name: landlord
  groups: users,adm,dialout,audio,netdev,video,plugdev,cdrom,games,input,gpio,spi,i2c,render,sudo
  shell: /bin/bash
  lock_passwd: false
  passwd: $5$salt$hash
  ssh_authorized_keys:
    - {KEY}
  sudo: ALL=(ALL) NOPASSWD:ALL
ssh_pwauth: true
"""

NETWORK_CONFIG = f"""network:
  version: 2
  wifis:
    wlan0:
      dhcp4: true
      regulatory-domain: "FR"
      access-points:
        "Caf\u00e9 \\"1\\"":
          hidden: true
          password: "{PSK}"
      optional: true
"""


def auth(lines: str) -> str:
    """Imager's file with the access point's password in netplan's words."""
    return NETWORK_CONFIG.replace(f'          password: "{PSK}"\n', f"          auth: {{{lines}}}\n")
