#!/bin/sh
# Makes a certificate authority, and for each node of KurrentDB a certificate that it has signed. Existing files are kept.
# Usage: sh make-certificates.sh FOLDER CA_FOLDER NODE…   A node is a host name. Needs openssl.
#   FOLDER/ca/ca.crt              the authority's certificate, alone in its folder (KURRENTDB_TRUSTED_ROOT_CERTIFICATES_PATH)
#   FOLDER/authority/ca.key       its key, for certificates of further nodes
#   FOLDER/NODE/node.crt, .key    readable for the node's user, 1001
#   CA_FOLDER/ca.crt              a copy for the service (tlsCAFile)
set -eu
umask 077

[ $# -ge 3 ] || { echo "Usage: $0 FOLDER CA_FOLDER NODE…" >&2; exit 2; }
folder=$1
ca_folder=$2
shift 2
days=3650
owner=${ESDB_OWNER:-1001:1001}

mkdir -p "$folder/authority" "$folder/ca" "$ca_folder"
authority="$folder/authority/ca"
if [ ! -s "$folder/ca/ca.crt" ]; then
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -sha256 -days "$days" -subj '/CN=Rupa event store CA' \
    -addext 'basicConstraints=critical,CA:TRUE,pathlen:0' -addext 'keyUsage=critical,keyCertSign,cRLSign' \
    -keyout "$authority.key" -out "$authority.new"
  mv "$authority.new" "$folder/ca/ca.crt"
fi

for node in "$@"; do
  mkdir -p "$folder/$node"
  [ ! -s "$folder/$node/node.crt" ] || continue
  # Nodes authenticate each other by the common name, and clients authenticate a node by its host name.
  openssl req -newkey rsa:2048 -nodes -sha256 -subj '/CN=eventstoredb-node' -keyout "$folder/$node/node.key" -out "$authority.csr"
  printf '%s\n' 'basicConstraints=CA:FALSE' 'keyUsage=digitalSignature,keyEncipherment' 'extendedKeyUsage=serverAuth,clientAuth' \
    "subjectAltName=DNS:$node,DNS:localhost,IP:127.0.0.1" >"$authority.ext"
  openssl x509 -req -in "$authority.csr" -CA "$folder/ca/ca.crt" -CAkey "$authority.key" -CAserial "$authority.srl" -CAcreateserial -days "$days" -sha256 \
    -extfile "$authority.ext" -out "$folder/$node/node.new"
  rm "$authority.csr" "$authority.ext"
  mv "$folder/$node/node.new" "$folder/$node/node.crt"
done

cp "$folder/ca/ca.crt" "$ca_folder/ca.crt"
chmod 755 "$folder" "$folder/ca" "$ca_folder"
chmod 644 "$folder/ca/ca.crt" "$ca_folder/ca.crt"
for node in "$@"; do chown -R "$owner" "$folder/$node"; done
