#!/bin/sh
# Creates the secrets that docker-compose.yml mounts and the file for further settings that it reads, and keeps those that exist. Usage: sh scripts/make-secrets.sh single|cluster
set -eu

case "${1:-}" in
  single) event_store='esdb://event-store:2113?tls=false' ;;
  cluster) event_store='' ;;
  *) echo "Usage: $0 single|cluster" >&2; exit 2 ;;
esac

cd "$(dirname "$0")/.."
mkdir -p secrets
# Only the owner can enter the folder. The files are readable for all, because containers mount each file and read it as a user of their own.
chmod 700 secrets

random() { od -An -tx1 -N32 /dev/urandom | tr -d ' \n'; }
keep() { [ -s "secrets/$1" ] || { printf '%s\n' "$2" >"secrets/$1"; chmod 444 "secrets/$1"; }; }

keep admin_token "rupa_admin_$(random)"
keep auditor_token "rupa_auditor_$(random)"
keep master_key "k1:$(head -c 32 /dev/urandom | base64)"
keep postgres_password "$(random)"
keep database_url "postgres://rupa:$(cat secrets/postgres_password)@postgres:5432/rupa"
# The one-shot service event-store-user gives the user `rupa` the password in this address.
nodes=event-store-1:2113,event-store-2:2113,event-store-3:2113
keep event_store_url "${event_store:-esdb://rupa:$(random)@$nodes?tlsCAFile=/event-store-ca/ca.crt&nodePreference=leader}"
keep event_store_admin_password "$(random)"
keep grafana_password "$(random)"

[ -e settings.env ] || echo '# Further settings, NAME=value on each line, but no secrets (docs/containers.md).' >settings.env
