#!/bin/sh
# Installs the Debian packages that the peers need, those of the named folders
# or of all: peers/setup-debian.sh ocaml cpp-pointers
set -eu
cd "$(dirname "$0")"
if [ $# -eq 0 ]; then
  for file in */peer.toml; do set -- "$@" "${file%/peer.toml}"; done
fi
for name; do
  [ -f "$name/peer.toml" ] || { echo "no folder of peers is called '$name'" >&2; exit 2; }
done
packages=$(for name; do cat "$name/peer.toml"; done |
  grep -o 'package *= *"[a-z0-9.+-]*"' | sed 's/.*"\(.*\)"/\1/' | sort -u)
as_root=
[ "$(id -u)" -eq 0 ] || as_root=sudo
echo "installing:" $packages
export DEBIAN_FRONTEND=noninteractive
$as_root apt-get update -qq
$as_root apt-get install -y --no-install-recommends $packages
