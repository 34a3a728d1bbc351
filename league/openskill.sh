#!/bin/sh
# Builds python3-openskill_VERSION_all.deb in the folder that is given: the library for the league's ratings, which
# Debian does not have. Its wheel for every machine is pure Python without dependencies, and goes in as it is.
# Needs pip and the network; the wheel has to have the hash below.
set -eu
version=6.2.0
hash=7c9cf8447181a5402793afe9230058ae1091ceb7fc0364b9ab3eb51e9eac1ac9
out=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
chmod 755 "$tree"
modules=$tree/usr/lib/python3/dist-packages
echo "openskill==$version --hash=sha256:$hash" >"$tree/requirements"
python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore --no-deps --no-compile \
    --platform=any --implementation=py --abi=none --only-binary=:all: --require-hashes --target="$modules" -r "$tree/requirements"
rm "$tree/requirements"
install -D -m 644 "$modules"/openskill-*.dist-info/licenses/LICENSE \
    "$tree/usr/share/doc/python3-openskill/copyright"
mkdir "$tree/DEBIAN"
cat >"$tree/DEBIAN/control" <<END
Package: python3-openskill
Version: $version-0+shutthebox1
Architecture: all
Section: python
Priority: optional
Maintainer: The Shut the Box makers <shutthebox@example.org>
Depends: python3 (>= 3.10)
Homepage: https://openskill.me
Description: ratings of players by the places of a whole table
 The models of Weng and Lin for matches of any number of players or teams,
 in pure Python. Debian has no package of it; this one is made from its wheel.
END
cat >"$tree/DEBIAN/postinst" <<'END'
#!/bin/sh
set -e
if [ "$1" = configure ] && command -v py3compile >/dev/null; then py3compile -p python3-openskill; fi
END
cat >"$tree/DEBIAN/prerm" <<'END'
#!/bin/sh
set -e
if command -v py3clean >/dev/null; then py3clean -p python3-openskill; fi
END
chmod 755 "$tree/DEBIAN/postinst" "$tree/DEBIAN/prerm"
find "$tree" -name INSTALLER -delete
find "$tree" -name REQUESTED -delete
find "$tree" -type f -path '*/dist-packages/*' -exec chmod 644 {} +
find "$tree" -exec touch --no-dereference --date="@${SOURCE_DATE_EPOCH:-1700000000}" {} +
export SOURCE_DATE_EPOCH="${SOURCE_DATE_EPOCH:-1700000000}"
mkdir -p "$out"
dpkg-deb --root-owner-group --build "$tree" "$out/python3-openskill_$version-0+shutthebox1_all.deb"
