// Receives webhooks: verifies each delivery, responds at once, and handles each event once.
import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import { webhooks, WebhookVerificationError } from '@rupa/client';

const secret = process.env.RUPA_SIGNING_SECRET;
const LARGEST_BODY = 64 * 1024;

/** Ids of handled events. Keep them in your database, with a unique index: a delivery may be repeated days later. */
const handled = new Set();

function handle(event) {
  if (handled.has(event.id)) return;
  handled.add(event.id);
  console.log(`${event.type} ${event.data.rupa_id ?? ''}`.trim());
}

const server = createServer(async (request, response) => {
  try {
    // The signature covers the bytes that arrived, so they must not be parsed and written again.
    const event = await webhooks.verify(await read(request), request.headers, secret);
    response.writeHead(204).end();
    handle(event);
  } catch (error) {
    response.writeHead(400).end(error.message);
    if (!(error instanceof WebhookVerificationError)) console.error(error.message);
  }
});

async function read(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > LARGEST_BODY) throw new Error('The body is larger than that of any webhook.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', () => {
  console.log(`Receiving webhooks at http://127.0.0.1:${server.address().port}/hooks`);
});
