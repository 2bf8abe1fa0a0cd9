#!/bin/sh
# Makes a replica the primary, once it has applied everything that it has received. The old primary must be switched off, or read-only:
# this cannot see it. Run it on the replica; all arguments are options of the client, such as --host.
#   sh promote.sh
set -eu

ask() { mariadb --batch --skip-column-names "$@"; }
# The value of a field of the replica's status, or those of several.
status() {
  field=$1
  shift
  mariadb "$@" --vertical --execute "SHOW SLAVE STATUS" | sed -n "s/^ *$field: //p"
}

[ -n "$(status Gtid_IO_Pos "$@")" ] || { echo "This server is no replica, or has received nothing." >&2; exit 1; }
# When both threads are stopped, the start of one discards what was received and not applied. In this order one always runs.
if [ "$(status 'Slave_.*_Running' "$@" | sort -u)" = No ]; then
  echo "Both threads are stopped: START SLAVE begins anew where this server has arrived, and needs the primary." >&2
  exit 1
fi
ask "$@" --execute "START SLAVE SQL_THREAD; STOP SLAVE IO_THREAD"
received=$(status Gtid_IO_Pos "$@")
echo "Applying what was received, up to $received."
while [ "$(ask "$@" --execute "SELECT MASTER_GTID_WAIT('$received', 5)")" != 0 ]; do
  fault=$(status Last_SQL_Error "$@")
  [ -z "$fault" ] || { echo "The replica cannot apply a transaction: $fault" >&2; exit 1; }
done

# Without a replica of its own it must not wait for one.
ask "$@" --execute "STOP SLAVE; RESET SLAVE ALL; SET GLOBAL rpl_semi_sync_master_enabled = OFF; SET GLOBAL read_only = OFF"
echo "This server is the primary, at $(ask "$@" --execute "SELECT @@global.gtid_current_pos")."
