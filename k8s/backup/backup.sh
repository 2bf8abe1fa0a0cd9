#!/bin/bash
# Backs up the database while it runs. Runs in the image of MariaDB; docs/operations.md has the steps.
#   backup.sh full FOLDER   a dump with its position in the binary log, and the binary logs since the oldest dump
#   backup.sh logs FOLDER   the binary logs only
#   backup.sh first FOLDER  as full, for a new server: once it gave a dump, the earlier backups move to FOLDER/before-<time>, because their logs are of the old one
# DATABASE_HOST, DATABASE_PORT, DATABASE_USER, DATABASE_PASSWORD or DATABASE_PASSWORD_FILE, DATABASE_NAME, KEEP_DAYS, and
# DATABASE_SSL_CA, a file with the authority of the database's certificate: with it every connection uses TLS and checks the host.
set -euo pipefail
umask 077
export TZ=UTC

kind=${1:?full, logs or first}
folder=${2:?the folder of the backups}
name=${DATABASE_NAME:-batuta}
keep_days=${KEEP_DAYS:-14}
mkdir -p "$folder/binlog"

password=${DATABASE_PASSWORD-$(cat "${DATABASE_PASSWORD_FILE:?}")}
# In quotes, as the client reads it from a file of options.
password=\"$(sed 's/[\"]/\\&/g' <<< "$password")\"
# The password is in no command line.
options=$(mktemp)
trap 'rm -f "$options"' EXIT
{
  echo '[client]'
  echo "host=${DATABASE_HOST:?}"
  echo "port=${DATABASE_PORT:-3306}"
  echo "user=${DATABASE_USER:?}"
  echo "password=$password"
  # Without these lines the client accepts a server without TLS, and any certificate.
  if [ -n "${DATABASE_SSL_CA:-}" ]; then printf '%s\n' "ssl-ca=$DATABASE_SSL_CA" ssl-verify-server-cert; fi
} > "$options"

# The file in which the snapshot of a dump begins, as `--master-data=2` writes it into the dump.
first_log_of() {
  { gzip -dc "$1" || true; } | head -n 60 | sed -n "s/^-- CHANGE MASTER TO MASTER_LOG_FILE='\([^']*\)'.*/\1/p"
}

if [ "$kind" != logs ]; then
  rm -f "$folder"/*.partial
  partial=$(mktemp "$folder/dump.XXXXXX.partial")
  mariadb-dump --defaults-extra-file="$options" --single-transaction --master-data=2 --quick --hex-blob \
    --default-character-set=utf8mb4 "$name" | gzip > "$partial"
fi

# One copy at a time: a second one could replace a complete log by the beginning of it.
exec 9> "$folder/binlog.lock"
flock 9
if [ "$kind" != logs ] && [ ! -e "$partial" ]; then
  echo 'Another backup removed this dump while it was made.' >&2
  exit 1
fi
if [ "$kind" = first ]; then
  # Only now, because a server that gives no dump must leave the earlier backups where restore.sh finds them.
  before="$folder/before-$(date +%Y-%m-%dT%H-%M-%SZ)"
  mkdir "$before"
  find "$folder" -maxdepth 1 \( -name 'dump-*.sql.gz' -o -name binlog \) -exec mv {} "$before" ';'
  # A backup that begins at this moment makes it, too.
  mkdir -p "$folder/binlog"
  kind=full
fi
if [ "$kind" = full ]; then
  # A dump has its name only when it is complete; the name is later than its snapshot.
  name_of_now() { made="$folder/dump-$(date +%Y-%m-%dT%H-%M-%SZ).sql.gz"; }
  name_of_now
  # A dump of the same second has this name.
  while [ -e "$made" ]; do sleep 1; name_of_now; done
  mv "$partial" "$made"
fi
# Dumps that are too old are deleted at the end, since a backup that is refused must leave all that there was.
kept=()
if [ "$kind" = full ]; then kept=(! -mtime "+$keep_days"); fi
oldest=$(find "$folder" -maxdepth 1 -name 'dump-*.sql.gz' "${kept[@]}" | sort | head -n 1)
[ -n "$oldest" ] || { echo 'There is no dump yet: run "backup.sh full", or wait until it ends.' >&2; exit 1; }
first=$(first_log_of "$oldest")
[ -n "$first" ] || { echo "$oldest names no binary log: is the log of the server on?" >&2; exit 1; }
# The newest copy may lack the end of its log, so it is copied again.
copied=$(find "$folder/binlog" -maxdepth 1 -type f -name '*.[0-9]*' -printf '%f\n' | sort | tail -n 1)
if [[ "$copied" > "$first" ]]; then from=$copied; else from=$first; fi
rm -rf "$folder"/binlog/incoming
mkdir "$folder/binlog/incoming"
copy_from() {
  mariadb-binlog --defaults-extra-file="$options" --read-from-remote-server --raw --to-last-log \
    --result-file="$folder/binlog/incoming/" "$1"
}
refuse_other_server() {
  rm -rf "$folder/binlog/incoming"
  # restore.sh would apply the binary log of the earlier server to this dump.
  if [ -n "${made:-}" ]; then rm -f "$made"; fi
  echo "The binary log of the server is not the one of the earlier backups: run \"backup.sh first\"." >&2
  exit 1
}
if copy_from "$from"; then
  # The log is longer than its earlier copy and begins like it, unless it is a log of another server with the same name.
  earlier="$folder/binlog/$from"
  if [ -e "$earlier" ]; then
    cmp --quiet --bytes="$(stat --format=%s "$earlier")" "$earlier" "$folder/binlog/incoming/$from" || refuse_other_server
  fi
else
  # The server has removed that log already: a new dump begins a new sequence, and restore.sh refuses the gap.
  [ "$kind" = full ] || { echo "The server has no log $from any more: run \"backup.sh full\"." >&2; exit 1; }
  next=$(first_log_of "$(find "$folder" -maxdepth 1 -name 'dump-*.sql.gz' | sort | tail -n 1)")
  [ -n "$next" ] || { echo "The newest dump names no binary log: is the log of the server on?" >&2; exit 1; }
  if [[ "$next" < "$from" ]]; then refuse_other_server; fi
  copy_from "$next"
fi
mv "$folder"/binlog/incoming/* "$folder/binlog/"
rmdir "$folder/binlog/incoming"
if [ "$kind" = full ]; then find "$folder" -maxdepth 1 -name 'dump-*.sql.gz' -mtime "+$keep_days" -delete; fi
# No dump needs the logs before the one of the oldest dump.
for log in "$folder"/binlog/*.[0-9]*; do
  if [[ "$(basename "$log")" < "$first" ]]; then rm "$log"; fi
done
echo "Backed up: $(find "$folder" -maxdepth 1 -name 'dump-*.sql.gz' | sort | tail -n 1), binary logs up to $(find "$folder/binlog" -type f | sort | tail -n 1)."
