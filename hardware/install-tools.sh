#!/bin/sh
# Installs what `make hardware` needs on Debian 12 or 13 (as root): KiCad 9, ngspice, Graphviz and small helpers.
# KiCad's 3D models (another 330 MB to fetch, 5 GB on disk) only for `with-models`: renders and STEP have bodies then.
set -eu
. /etc/os-release
release=
# The mirror that this machine already uses.
mirror=$(apt-get indextargets --format '$(SITE)' | grep -v security | head -n 1)
if [ "$VERSION_CODENAME" = bookworm ]; then
    echo "deb $mirror bookworm-backports main" >/etc/apt/sources.list.d/backports.list
    release='-t bookworm-backports'
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
models=
[ "${1:-}" = with-models ] && models=kicad-packages3d
# shellcheck disable=SC2086  # empty words shall vanish
apt-get install -q -y --no-install-recommends $release kicad kicad-symbols kicad-footprints $models
apt-get install -q -y --no-install-recommends ngspice graphviz poppler-utils fonts-liberation
