#!/bin/sh
# Restores the log of a backup into the data folder of an empty KurrentDB node, which must be stopped.
# Usage: ESDB_DATA=/var/lib/kurrentdb sh ops/backup/restore-log.sh FOLDER
set -eu

[ $# -eq 1 ] || { echo "Usage: ESDB_DATA=… $0 FOLDER" >&2; exit 2; }
log=${ESDB_DATA:?Set ESDB_DATA to the data folder of the event store}
[ -e "$1/log/chaser.chk" ] || { echo "$1 is no finished backup: it has no log/chaser.chk." >&2; exit 1; }
mkdir -p "$log"
[ -z "$(ls -A "$log")" ] || { echo "$log is not empty. Restore into an empty folder." >&2; exit 1; }

cp -Rp "$1/log/." "$log"
# The node cuts off at its start what was being written during the copy.
cp -p "$log/chaser.chk" "$log/truncate.chk"
echo "The log is restored. Start the node. It cuts the log at the checkpoint, says \"Truncation successful\" and ends; then start it again."
