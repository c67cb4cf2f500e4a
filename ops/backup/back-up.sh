#!/bin/sh
# Backs up a running service into a new folder, in the order that docs/operations.md explains: operational tables, log, key store.
# Usage: DATABASE_URL=… ESDB_DATA=/var/lib/kurrentdb sh ops/backup/back-up.sh FOLDER
# DATABASE_URL_FILE may name a file that contains DATABASE_URL. ESDB_DATA is the data folder of one KurrentDB or EventStoreDB node.
set -eu
umask 077

[ $# -eq 1 ] || { echo "Usage: DATABASE_URL=… ESDB_DATA=… $0 FOLDER" >&2; exit 2; }
# The copy of the log changes the folder, so a relative name would stand for another one there.
case $1 in /*) target=$1 ;; *) target=$PWD/$1 ;; esac
url=${DATABASE_URL:-$(cat "${DATABASE_URL_FILE:?Set DATABASE_URL, or DATABASE_URL_FILE}")}
log=${ESDB_DATA:?Set ESDB_DATA to the data folder of the event store}
[ -e "$log/chaser.chk" ] || { echo "$log is no data folder of KurrentDB: it has no chaser.chk." >&2; exit 1; }
[ ! -e "$target" ] || { echo "$target exists. Name a new folder: a backup is never written over another one." >&2; exit 1; }

# An unfinished backup keeps another name, so that nobody restores it.
unfinished="$target.unfinished"
rm -rf "$unfinished"
mkdir -p "$unfinished/log"

# Without the console's sessions: a restore would undo every sign-out since the backup.
pg_dump -Fc -N read -N 'rebuild_*' -N key_store --exclude-table-data=ops.console_session -f "$unfinished/ops.dump" "$url"
# Copies checkpoints before the data that they point into: the node only appends, so the copied data reach at least as far.
cd "$log"
if [ -d index ]; then
  mkdir "$unfinished/log/index"
  find index -type f -name '*.chk' -exec cp -p --parents {} "$unfinished/log" \;
  find index -type f ! -name '*.chk' -exec cp -p --parents {} "$unfinished/log" \;
fi
cp -p ./*.chk "$unfinished/log"
find . -maxdepth 1 -type f -name 'chunk-*' -exec cp -p {} "$unfinished/log" \;
cd "$OLDPWD"
pg_dump -Fc -n key_store -f "$unfinished/keys.dump" "$url"

mv "$unfinished" "$target"
echo "The backup is complete: $target"
