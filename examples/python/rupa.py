"""Calls the service with Python's standard library alone: retries, idempotency keys, pages, and signatures of webhooks."""

import base64, email.utils, hashlib, hmac, http.client, json, os, random, time, urllib.error, urllib.parse, urllib.request, uuid

RETRYABLE = {408, 429, 500, 502, 503, 504}
ATTEMPTS = 4


class RupaError(Exception):
    """An error response. Decide by its code."""

    def __init__(self, status, body):
        super().__init__(f"{body.get('message')} ({body.get('code')})")
        self.status, self.code, self.data = status, body.get('code'), body.get('data') or {}


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """A followed redirect would send the key to another host."""

    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(NoRedirects)


def call(method, path, body=None, query=None, idempotency_key=None):
    """Sends a request, repeats it where that is safe, and returns the data of its response."""
    url = os.environ['RUPA_URL'] + '/v1/rupa' + path + ('?' + urllib.parse.urlencode(query) if query else '')
    headers = {'X-API-KEY': os.environ['RUPA_API_KEY'], 'Accept': 'application/json', 'Content-Type': 'application/json'}
    if method == 'POST':
        headers['Idempotency-Key'] = idempotency_key or str(uuid.uuid4())
    data = None if body is None else json.dumps(body).encode()
    for attempt in range(1, ATTEMPTS + 1):
        wait = min(8, 0.5 * 2 ** (attempt - 1)) * (1 + random.random()) / 2
        try:
            request = urllib.request.Request(url, data, headers, method=method)
            with opener.open(request, timeout=30) as response:
                return json.load(response)['data']
        except urllib.error.HTTPError as error:
            failure = parsed_error(error)
            if attempt == ATTEMPTS or not (error.code in RETRYABLE or failure.code == 'idempotency_in_progress'):
                raise failure from None
            wait = max(wait, seconds(error.headers.get('Retry-After')))
        except (OSError, http.client.HTTPException):
            if attempt == ATTEMPTS:
                raise
        time.sleep(wait)


def parsed_error(error):
    try:
        return RupaError(error.code, json.load(error))
    except ValueError:
        return RupaError(error.code, {'message': f'The response with status {error.code} is not one of the service.'})


def seconds(retry_after):
    """Parses a Retry-After, which is a number of seconds or a date."""
    if retry_after is None:
        return 0
    if retry_after.isdigit():
        return int(retry_after)
    return max(0, email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time())


def pages(path, name, **query):
    """Yields the items of a list, requesting each page when it is needed."""
    while True:
        page = call('GET', path, query=query)
        yield from page[name]
        if page['next_cursor'] is None:
            return
        query['cursor'] = page['next_cursor']


def verify(raw_body, headers, secret, tolerance=300):
    """Returns the event of a delivery. Raises ValueError if the signature is wrong, or older than the tolerance in seconds."""
    timestamp = headers.get('webhook-timestamp') or ''
    if not timestamp.isdigit() or abs(time.time() - int(timestamp)) > tolerance:
        raise ValueError('The delivery is too old, or has no time.')
    signed = f"{headers.get('webhook-id')}.{timestamp}.".encode() + raw_body
    key = base64.b64decode(secret.removeprefix('whsec_'))
    expected = 'v1,' + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    # After a rotation there is a signature for each of the two secrets.
    given = (headers.get('webhook-signature') or '').split(' ')
    if not any(hmac.compare_digest(expected.encode(), one.encode()) for one in given):
        raise ValueError('No signature matches the body.')
    return json.loads(raw_body)
