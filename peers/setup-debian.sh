#!/bin/sh
# Installs the Debian packages that the peers need, those of the named folders
# or all: peers/setup-debian.sh ocaml cpp-pointers
set -eu
cd "$(dirname "$0")"
files=$(for name in "${@:-*}"; do ls -d $name/peer.toml; done)
packages=$(grep -ho 'package *= *"[a-z0-9.+-]*"' $files | sed 's/.*"\(.*\)"/\1/' | sort -u)
sudo=
[ "$(id -u)" -eq 0 ] || sudo=sudo
echo "installing:" $packages
$sudo apt-get update -qq
$sudo apt-get install -y --no-install-recommends $packages
