#!/bin/sh
# Makes a replica the primary, once it has applied everything that it has received. The old primary must be switched off, or read-only:
# this cannot see it. Run it on the replica; all arguments are options of the client, such as --host.
#   sh promote.sh
set -eu

ask() { mariadb --batch --skip-column-names "$@"; }
status() { mariadb "$@" --vertical --execute "SHOW SLAVE STATUS"; }

ask "$@" --execute "STOP SLAVE IO_THREAD"
received=$(status "$@" | sed -n 's/^ *Gtid_IO_Pos: //p')
[ -n "$received" ] || { echo "This server is no replica, or has received nothing." >&2; exit 1; }

echo "Applying what was received, up to $received."
ask "$@" --execute "START SLAVE SQL_THREAD"
while [ "$(ask "$@" --execute "SELECT MASTER_GTID_WAIT('$received', 5)")" != 0 ]; do
  fault=$(status "$@" | sed -n 's/^ *Last_SQL_Error: //p')
  [ -z "$fault" ] || { echo "The replica cannot apply a transaction: $fault" >&2; exit 1; }
done

# Without a replica of its own it must not wait for one.
ask "$@" --execute "STOP SLAVE; RESET SLAVE ALL; SET GLOBAL rpl_semi_sync_master_enabled = OFF; SET GLOBAL read_only = OFF"
echo "This server is the primary, at $(ask "$@" --execute "SELECT @@global.gtid_current_pos")."
