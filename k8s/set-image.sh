#!/bin/sh
# sh k8s/set-image.sh <overlay> <name> <repository>@sha256:<digest>: sets the image `name` in <overlay>/kustomization.yaml.
set -eu
file="${1:?names the folder of an overlay}/kustomization.yaml"
name="${2:?is the name of an image in that file: batuta, nats or mariadb}"
image="${3:?is <repository>@sha256:<digest>}"
echo "$image" | grep -Eq '^[^@]+@sha256:[0-9a-f]{64}$' || { echo "$image is not <repository>@sha256:<digest>" >&2; exit 1; }
grep -q "^  - name: $name$" "$file" || { echo "$file has no image $name" >&2; exit 1; }
# Not `sed -i`, which differs between systems. The rename leaves the whole old file or the whole new one, whenever this script ends.
trap 'rm -f "$file.new"' EXIT
sed "/^images:/,\$ { /^  - name: $name\$/,/digest:/ { s|newName: .*|newName: ${image%@*}|; s|digest: .*|digest: ${image#*@}|; }; }" "$file" >"$file.new"
mv "$file.new" "$file"
