#!/bin/bash
# Restores the database to a moment, into a server that does not have it. docs/operations.md has the steps.
#   restore.sh FOLDER '2026-03-02 14:05:00'   UTC; everything that was committed before that second
# DATABASE_HOST, DATABASE_PORT, DATABASE_USER (an administrator), DATABASE_PASSWORD or DATABASE_PASSWORD_FILE, DATABASE_NAME, and
# DATABASE_SSL_CA as in backup.sh.
set -euo pipefail
umask 077
export TZ=UTC

folder=${1:?the folder of the backups}
moment=${2:?the moment in UTC, such as 2026-03-02 14:05:00}
name=${DATABASE_NAME:-batuta}

password=${DATABASE_PASSWORD-$(cat "${DATABASE_PASSWORD_FILE:?}")}
# In quotes, as the client reads it from a file of options.
password=\"$(sed 's/[\"]/\\&/g' <<< "$password")\"
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
  echo 'default-character-set=utf8mb4'
  echo 'max-allowed-packet=64M'
} > "$options"
sql() { mariadb --defaults-extra-file="$options" --batch --skip-column-names "$@"; }

# Whether the moment is valid, and in the form of the names of dumps.
wanted=dump-$(date --date="$moment" +%Y-%m-%dT%H-%M-%SZ).sql.gz
dump=
while read -r candidate; do
  if [[ "$(basename "$candidate")" < "$wanted" ]]; then dump=$candidate; fi
done < <(find "$folder" -maxdepth 1 -name 'dump-*.sql.gz' | sort)
[ -n "$dump" ] || { echo "No dump is older than $moment." >&2; exit 1; }

tables=$(sql --execute "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = '$name'")
if [ "$tables" != 0 ] && [ "${FORCE:-}" != yes ]; then
  echo "The database $name has tables already. Restore into a new server, or drop the database; FORCE=yes goes on with what an interrupted restore left." >&2
  exit 1
fi

echo "Restoring $dump, then the binary log up to $moment."
sql --execute "DROP DATABASE IF EXISTS \`$name\`; CREATE DATABASE \`$name\` CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci"
gzip -dc "$dump" | sql "$name"
read -r first position < <(
  { gzip -dc "$dump" || true; } | head -n 60 |
    sed -n "s/^-- CHANGE MASTER TO MASTER_LOG_FILE='\([^']*\)', MASTER_LOG_POS=\([0-9]*\).*/\1 \2/p"
)
logs=()
for log in "$folder"/binlog/*.[0-9]*; do
  if [[ ! "$(basename "$log")" < "$first" ]]; then logs+=("$log"); fi
done
[ "$(basename "${logs[0]}")" = "$first" ] || { echo "The binary log $first is missing in $folder/binlog." >&2; exit 1; }
number=$((10#${first##*.}))
for log in "${logs[@]}"; do
  [ $((10#${log##*.})) = "$number" ] || { echo "A binary log before $log is missing in $folder/binlog." >&2; exit 1; }
  number=$((number + 1))
done
mariadb-binlog --database="$name" --start-position="$position" --stop-datetime="$moment" "${logs[@]}" |
  sql --binary-mode
echo "Restored. Run the migrations of the release next, then start the services."
