"""Receives webhooks: verifies each delivery, responds at once, and handles each event once."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from rupa import verify

SECRET = os.environ['RUPA_SIGNING_SECRET']
LARGEST_BODY = 64 * 1024

# Ids of handled events. Keep them in your database, with a unique index: a delivery may be repeated days later.
handled = set()


def handle(event):
    if event['id'] in handled:
        return
    handled.add(event['id'])
    print(f"{event['type']} {event['data'].get('rupa_id', '')}".strip(), flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        try:
            size = int(self.headers.get('Content-Length') or 0)
            if size > LARGEST_BODY:
                raise ValueError('The body is larger than that of any webhook.')
            # The signature covers the bytes that arrived, so they must not be parsed and written again.
            event = verify(self.rfile.read(size), self.headers, SECRET)
        except ValueError as error:
            self.respond(400, str(error).encode())
        else:
            self.respond(204)
            handle(event)

    def respond(self, status, body=b''):
        self.send_response(status)
        if body:
            self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Writes no line for each request."""


server = ThreadingHTTPServer(('127.0.0.1', int(os.environ.get('PORT', 4000))), Receiver)
print(f'Receiving webhooks at http://127.0.0.1:{server.server_port}/hooks', flush=True)
server.serve_forever()
