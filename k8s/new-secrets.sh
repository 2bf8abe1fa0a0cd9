#!/bin/sh
# sh k8s/new-secrets.sh <overlay>: makes the files of <overlay>/secrets that are missing, with random values, and in production a
# certificate for NATS. Existing values stay as they are; those that only you know are named at the end.
set -eu
umask 077
cd "${1:?names the folder of an overlay, such as k8s/overlays/local}/secrets"

for example in *.env.example; do
  file="${example%.example}"
  # A file of an earlier release gets what it lacks. awk ends its last line, as editors may not have done.
  if [ -e "$file" ]; then awk 1 "$file" >"$file.new"; else : >"$file.new"; fi
  while IFS= read -r line; do
    case "$line" in
      '#'*) [ -e "$file" ] && continue ;;
      *) grep -q "^${line%%=*}=" "$file.new" && continue ;;
    esac
    case "$line" in
      SECRET_KEYS=) echo "SECRET_KEYS=k1:$(openssl rand -base64 32)" ;;
      *_PASSWORD=) echo "$line$(openssl rand -hex 24)" ;;
      *) echo "$line" ;;
    esac
  done <"$example" >>"$file.new"
  mv "$file.new" "$file"
done

if grep -q secrets/nats.crt ../kustomization.yaml && [ ! -e nats.crt ]; then
  # The authority signs this one certificate; its key is not kept, so that it can sign no other.
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 3650 -subj '/CN=Batuta NATS authority' \
    -addext 'basicConstraints=critical,CA:true' -addext 'keyUsage=critical,keyCertSign' \
    -keyout authority.key -out authority.pem 2>/dev/null
  openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj '/CN=nats' -keyout nats.key -out nats.csr 2>/dev/null
  # Each name by itself: Node accepts no wildcard that has only one label after it.
  printf '%s\n' 'subjectAltName=DNS:nats,DNS:nats-0.nats-nodes,DNS:nats-1.nats-nodes,DNS:nats-2.nats-nodes' \
    'extendedKeyUsage=serverAuth,clientAuth' >nats.ext
  openssl x509 -req -in nats.csr -CA authority.pem -CAkey authority.key -days 825 -extfile nats.ext -out nats.crt.new 2>/dev/null
  { [ ! -e authorities.pem ] || awk 1 authorities.pem; cat authority.pem; } >authorities.pem.new
  mv authorities.pem.new authorities.pem
  rm authority.key authority.pem nats.csr nats.ext
  mv nats.crt.new nats.crt
fi

if grep -n '^[A-Z0-9_]*=$' *.env; then echo "Fill in the values above, in $PWD." >&2; fi
