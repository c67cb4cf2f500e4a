"""Looks a farmer up: python3 lookup.py RUPA_ID IDEMPOTENCY_KEY, with RUPA_URL and RUPA_API_KEY."""
import http.client
import json
import os
import sys
import time
import urllib.error
import urllib.request

ATTEMPTS = 5


def look_up(rupa_id, idempotency_key):
    """Sends the same Idempotency-Key at each attempt, so that a lookup whose response was lost is not charged twice."""
    request = urllib.request.Request(
        os.environ["RUPA_URL"] + "/v1/rupa/lookup",
        data=json.dumps({"rupa_id": rupa_id, "sections": ["identity"]}).encode(),
        headers={
            "X-API-KEY": os.environ["RUPA_API_KEY"],
            "Content-Type": "application/json",
            "Idempotency-Key": idempotency_key,
        },
    )
    for attempt in range(ATTEMPTS):
        wait = 2**attempt
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                return json.load(response)["data"]
        except urllib.error.HTTPError as error:
            reason = error.read().decode()
            if error.code != 429 and error.code < 500 and '"idempotency_in_progress"' not in reason:
                sys.exit(reason)  # Another attempt would fail, too.
            wait = int(error.headers.get("Retry-After", wait))
        except (OSError, http.client.HTTPException) as error:
            reason = str(error)  # No response: nobody knows whether the lookup was charged.
        if attempt < ATTEMPTS - 1:
            time.sleep(wait)
    sys.exit(reason)


print(json.dumps(look_up(*sys.argv[1:3])["billing"]))
