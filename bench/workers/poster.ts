import { createHmac, randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Agent, request } from 'undici';

// Posts a number of notifications with bare undici.

/** Concurrent requests, as many as the service sends. */
const CONCURRENT_POSTS = 256;
const SECRET = Buffer.alloc(32, 7);

const { values } = parseArgs({ options: { url: { type: 'string' }, count: { type: 'string' } } });
const { url = '', count = '0' } = values;
const dispatcher = new Agent({ allowH2: false });
let left = Number(count);
await Promise.all(Array.from({ length: CONCURRENT_POSTS }, work));
await dispatcher.close();

async function work(): Promise<void> {
  while (left > 0) {
    left -= 1;
    await post();
  }
}

async function post(): Promise<void> {
  const [id, timestamp] = [randomUUID(), String(Math.floor(Date.now() / 1_000))];
  const data = { rupa_id: 'rp-0', event: 'loan_disbursed', contribution_id: left, occurred_at: '2026-03-02T09:00:00.000Z', sequence: left };
  const body = JSON.stringify({ id, type: 'farmer.loan_added', created_at: '2026-03-02T09:00:00.000Z', mode: 'sandbox', data });
  const signature = createHmac('sha256', SECRET).update(`${id}.${timestamp}.${body}`).digest('base64');
  const headers = {
    'Content-Type': 'application/json',
    'User-Agent': 'Rupa-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
  const response = await request(url, { method: 'POST', headers, body, dispatcher });
  await response.body.dump();
  if (response.statusCode !== 200) throw new Error(`The receiver responded with status ${response.statusCode}.`);
}
