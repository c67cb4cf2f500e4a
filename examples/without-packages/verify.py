"""Verifies a delivery on standard input: python3 verify.py ID TIMESTAMP SIGNATURES, with RUPA_SIGNING_SECRET."""
import base64
import hashlib
import hmac
import os
import sys
import time

TOLERANCE_SECONDS = 300


def is_from_rupa(raw_body, webhook_id, timestamp, signatures, secret):
    """Takes the raw body as bytes, and the headers webhook-id, webhook-timestamp and webhook-signature."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{webhook_id}.{timestamp}.".encode() + raw_body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # During the day after a rotation there is a signature with each of the two secrets.
    is_signed = any(hmac.compare_digest(expected, each.encode()) for each in signatures.split(" "))
    return is_signed and timestamp.isdecimal() and abs(time.time() - int(timestamp)) <= TOLERANCE_SECONDS


if not is_from_rupa(sys.stdin.buffer.read(), *sys.argv[1:4], os.environ["RUPA_SIGNING_SECRET"]):
    sys.exit("The delivery is not genuine, or too old.")
print("genuine")
