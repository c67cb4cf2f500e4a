#!/bin/sh
# Fetches what the log has grown by and checks the whole of it, for cron: prints nothing and exits with 0 if everything holds. docs/audit.md
# describes it. It needs curl, and Python 3.8 or Node 20.
# Usage: RUPA_URL=https://… AUDITOR_TOKEN=… sh check-log.sh FOLDER
# FOLDER keeps the evidence file, the keys, every checkpoint and the summary. Keep it on a machine that is not the operator's.
set -eu
umask 077

if [ $# -ne 1 ] || [ -z "${RUPA_URL:-}" ] || [ -z "${AUDITOR_TOKEN:-}" ]; then
  echo "Usage: RUPA_URL=https://… AUDITOR_TOKEN=… sh $0 FOLDER" >&2
  exit 2
fi
programs=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"
rm -rf new && mkdir new

curl -sSf "$RUPA_URL/.well-known/rupa-checkpoint-key" >new/keys.txt
[ -e keys.txt ] || cp new/keys.txt keys.txt
if ! cmp -s keys.txt new/keys.txt; then
  echo "The service publishes other keys than those in $1/keys.txt: $1/new/keys.txt. Ask the operator why, and replace the file if the reason holds." >&2
  exit 1
fi
# The checkpoint is fetched before the events, because it must not cover more of them than the file has. There is none before the first.
if curl -sf "$RUPA_URL/log/checkpoint" >new/note.txt; then mv new/note.txt "note-$(date -u +%Y%m%dT%H%M%SZ).txt"; fi
# The token is no argument, because every user of the machine could read it there.
touch evidence.jsonl
printf 'header = "Authorization: Bearer %s"\n' "$AUDITOR_TOKEN" |
  curl -sSf -K - "$RUPA_URL/admin/v1/evidence?from=$(($(wc -l <evidence.jsonl)))" >new/grown.jsonl
cat evidence.jsonl new/grown.jsonl >new/evidence.jsonl
rm new/grown.jsonl

if command -v python3 >/dev/null; then set -- "$1" python3 "$programs/audit.py"; else set -- "$1" node "$programs/audit.mjs"; fi
folder=$1
shift
set -- "$@" new/evidence.jsonl keys.txt
for note in note-*.txt; do [ ! -e "$note" ] || set -- "$@" "$note"; done
if ! "$@" >new/summary.txt 2>new/progress.txt; then
  tail -n 1 new/progress.txt >&2
  echo "The file that does not hold is $folder/new/evidence.jsonl; $folder/evidence.jsonl is the last one that did." >&2
  exit 1
fi
mv new/evidence.jsonl new/summary.txt .
rm -r new
