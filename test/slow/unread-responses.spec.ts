import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Socket } from 'node:net';
import { admin, makePartner, type TestPartner } from '../support/client.js';
import { readDocument } from '../support/document.js';
import { holderOf } from '../support/holder.js';
import { type Footprint, footprintOf } from '../support/hostile/footprint.js';
import { openRaw, openUnread } from '../support/hostile/raw-socket.js';
import { startService, type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const MEBIBYTE = 1024 * 1024;
/** NODE_OPTIONS of docker-compose.yml. */
const HEAP = '--max-old-space-size=640';
const FARMERS = 60;
const SOCKETS = 20;
/** The default of MAX_CONNECTIONS_PER_ADDRESS. */
const CONNECTIONS_PER_ADDRESS = 256;
/** As many requests as may wait on a connection, and one in progress. */
const ALLOWED = 17;
const FLOOD = 1_600;
/** Unread responses may take 64 MiB (docs/security.md), and garbage as much. */
const MAX_GROWTH_BYTES = 128 * MEBIBYTE;
const SPARE_HANDLES = 16;
const DOCUMENTATION = [
  '/',
  '/docs/admin',
  '/docs/site.css',
  '/docs/guides/audit',
  '/docs/collection.json',
  '/docs/partner-json',
  '/docs/admin-json',
  '/docs',
  '/docs/',
  '/docs/start.js',
  '/docs/swagger-ui-bundle.js',
  '/docs/swagger-ui.css',
  '/docs/favicon-32x32.png',
];
const GETS = Object.entries(readDocument().paths).flatMap(([path, operations]) => ('get' in operations ? [path] : []));

describe('a client that never reads its responses', () => {
  let service: TestService;
  let partner: TestPartner;
  let other: TestPartner;
  let delivery: string;
  let endpoint: string;
  let lookup: string;
  let before: Footprint;
  let ports: { readonly api: number; readonly metrics: number };

  beforeAll(async () => {
    service = await startService(
      {
        NODE_OPTIONS: HEAP,
        METRICS_PORT: '0',
        LOG_LEVEL: 'info',
        WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true',
        MAX_CONNECTIONS_PER_ADDRESS: String(CONNECTIONS_PER_ADDRESS),
      },
      { repeats: true },
    );
    const [, metrics] = /"port":(\d+)[^\n]*metrics are served/.exec(service.output()) ?? [];
    ports = { api: Number(new URL(service.url).port), metrics: Number(metrics) };
    partner = await makePartner(service, { credit: 10_000_000 });
    other = await makePartner(service, { credit: 10_000_000 });
    const each = (work: (index: number) => Promise<unknown>): Promise<unknown> =>
      Promise.all(Array.from({ length: FARMERS }, (_, index) => work(index)));
    await each((index) => admin(service, 'PUT', `/farmers/rp-${index}`, { identity: { full_name: 'Aisha Bello' } }));
    await each((index) => partner.lookup(`rp-${index}`, { sections: ['identity'] }));
    const [charged] = (await partner.call('GET', '/lookups?limit=1')).body.data.lookups as { lookup_id: string }[];
    lookup = charged?.lookup_id ?? '';
    expect((await admin(service, 'POST', '/checkpoints')).body.data).toMatchObject({ number: 1 });
    expect((await admin(service, 'POST', '/projections/partner/verify')).body.data).toMatchObject({ job_id: 1 });
    await until(async () => (await admin(service, 'GET', '/projections/jobs/1')).body.data.state === 'done');
    await each((index) =>
      admin(service, 'POST', `/partners/${partner.partner_id}/wallet/credits`, { amount: 1, reference: `${index} ${'x'.repeat(80)}` }),
    );
    const { body } = await partner.call('POST', '/webhooks', { url: 'https://example.com/hook' });
    endpoint = String(body.data.id);
    delivery = String((await partner.call('POST', `/webhooks/${endpoint}/test`)).body.data.id);
    for (const path of ['/docs-json', ...DOCUMENTATION]) await (await fetch(`${service.url}${path}`)).arrayBuffer();
    before = footprintOf(pid());
  });
  afterAll(() => service.stop());

  const pid = (): number => holderOf(service.dataDir);
  const serves = async (): Promise<void> => {
    expect((await other.lookup('rp-0', { sections: ['identity'] })).status).toBe(200);
  };
  const request = (method: string, path: string, body = ''): string =>
    [
      `${method} ${path} HTTP/1.1`,
      'Host: x',
      `X-API-KEY: ${partner.key}`,
      `Authorization: Bearer ${service.adminToken}`,
      ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${body.length}`]),
      '',
      body,
    ].join('\r\n') + (body === '' ? '\r\n' : '');

  /** Sends requests on many connections that never read, and expects the process to stay within its bounds and to serve another client. */
  async function attack(port: number, sent: string): Promise<void> {
    const { bytes } = footprintOf(pid());
    const sockets: Socket[] = [];
    try {
      for (let index = 0; index < SOCKETS; index += 1) {
        const socket = await openUnread(port);
        sockets.push(socket);
        socket.write(sent.repeat(index % 2 === 0 ? ALLOWED : FLOOD));
      }
      for (let index = 0; index < 10; index += 1) await serves();
      expect(footprintOf(pid()).bytes - bytes).toBeLessThan(MAX_GROWTH_BYTES);
      // Connections to the database that a busy moment opened are handles, too, until they have been idle for a while.
      await until(() => footprintOf(pid()).handles - before.handles < SOCKETS + SPARE_HANDLES);
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    await until(() => footprintOf(pid()).handles <= before.handles + SPARE_HANDLES);
  }

  const pathOf = (template: string): string =>
    template
      .replace(/(partners\/)\{id\}/, `$1${partner.partner_id}`)
      .replace('{month}', new Date().toISOString().slice(0, 7))
      .replace('{rupaId}', 'rp-0')
      .replace('{lookupId}', lookup)
      .replace('{number}', '1')
      .replace('{path}', '0/000.p/1')
      .replace('{jobId}', '1')
      .replace('{deliveryId}', delivery)
      .replace('{stream}', `wallet-${partner.partner_id}`)
      .replace(/\{id\}/, endpoint);

  it.each([...GETS, ...DOCUMENTATION, '/docs-json', '/nowhere'])('costs little memory and no files on GET %s', async (template) => {
    expect(pathOf(template)).not.toContain('{');
    await attack(ports.api, request('GET', pathOf(template)));
  });

  it.each(['csv', 'html'])('costs little memory on a statement as %s', async (format) => {
    await attack(ports.api, request('GET', `${pathOf('/admin/v1/partners/{id}/wallet/statements/{month}')}?format=${format}`));
  });

  it('costs little memory on lookups', async () => {
    await attack(ports.api, request('POST', '/v1/rupa/lookup', '{"rupa_id":"rp-0","sections":["identity"]}'));
  });

  it('costs little memory on requests that Node would refuse itself', async () => {
    await attack(ports.api, 'GET /docs-json HTTP/1.1\r\n\r\n');
    await attack(ports.api, 'GET /docs-json HTTP/1.1\r\nHost: x\r\nExpect: the impossible\r\n\r\n');
  });

  it('costs little memory on every connection of an address at the same moment', async () => {
    const { bytes } = footprintOf(pid());
    const sockets = await Promise.all(Array.from({ length: CONNECTIONS_PER_ADDRESS / 2 }, () => openUnread(ports.api)));
    const chunk = 'GET / HTTP/1.1\r\nHost:a\r\n\r\n'.repeat(2_500);
    let peak = 0;
    try {
      for (const socket of sockets) socket.write(chunk);
      await until(() => {
        const now = footprintOf(pid());
        peak = Math.max(peak, now.bytes);
        return now.handles <= before.handles + SPARE_HANDLES;
      });
      await serves();
    } finally {
      for (const socket of sockets) socket.destroy();
    }
    expect(peak - bytes).toBeLessThan(MAX_GROWTH_BYTES);
  });

  it('costs little memory on the metrics port', async () => {
    await attack(ports.metrics, request('GET', '/metrics'));
  });

  it('loses its connections beyond the limit of an address, while another address is served', async () => {
    const flood = await Promise.all(Array.from({ length: 2 * CONNECTIONS_PER_ADDRESS }, () => openUnread(ports.api)));
    await until(() => footprintOf(pid()).handles <= before.handles + CONNECTIONS_PER_ADDRESS + SPARE_HANDLES);
    const another = await openRaw(ports.api, { localAddress: '127.0.0.2' });
    await another.send(request('GET', '/health/live'));
    await another.closedOr((received) => received.includes(' 200 '));
    expect(another.received().toString()).toContain('HTTP/1.1 200 OK');
    for (const socket of [...flood, another]) socket.destroy();
    await until(() => footprintOf(pid()).handles <= before.handles + SPARE_HANDLES);
    await serves();
  });

  it('costs no more memory when it comes again', async () => {
    const first = footprintOf(pid());
    for (const path of [...GETS.map(pathOf), ...DOCUMENTATION, '/docs-json']) await attack(ports.api, request('GET', path));
    // Garbage is no cost: a busy machine collects it later. What is held for good would not go.
    await until(async () => {
      await serves();
      return footprintOf(pid()).bytes - first.bytes < MAX_GROWTH_BYTES;
    });
    const text = await (await fetch(`http://127.0.0.1:${ports.metrics}/metrics`)).text();
    for (const reason of ['waiting_requests', 'address_limit'])
      expect(text).toMatch(new RegExp(`rupa_http_connections_closed_total\\{reason="${reason}"\\} [1-9]`));
    expect(service.output()).not.toMatch(/a request failed|uncaught/i);
  });
});
