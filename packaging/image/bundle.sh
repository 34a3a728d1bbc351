#!/bin/sh
# Signs a system as an update: bundle.sh SYSTEM VERSION CERTIFICATE KEY BUNDLE [STORE]
set -eu
system=$1 version=$2 certificate=$3 key=$4 bundle=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln "$system" "$folder/system.img" 2>/dev/null || cp "$system" "$folder/system.img"
# The formats that this version can read, for boxes that are to be set back to it.
PYTHONPATH=$(dirname "$0")/../../firmware
export PYTHONPATH
store=$(/usr/bin/python3 -c 'from shutthebox.adapters.store.schema import VERSION; print(VERSION)')
keys=$(/usr/bin/python3 -c 'from shutthebox.owner.update import known_keys; print(*sorted(known_keys()))')
cat >"$folder/manifest.raucm" <<MANIFEST
[update]
compatible=shutthebox-pi-arm64
version=$version

[bundle]
format=plain

[image.system]
filename=system.img

[meta.shutthebox]
store=${6:-$store}
config=$keys
MANIFEST
have=$(rauc --version | cut -d ' ' -f 2)
if [ "$(printf '%s\n' 1.9 "$have" | sort -V | head -n 1)" != 1.9 ]; then
    echo "bundle.sh: RAUC $have drops [meta], so boxes won't warn of what this version can't keep" >&2
fi
rm -f "$bundle"
rauc bundle --cert="$certificate" --key="$key" "$folder" "$bundle" >/dev/null
