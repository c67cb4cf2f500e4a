import { beforeAll, describe, expect, it } from '@jest/globals';
import { logPages } from '../../src/platform/event-sourcing/reading/read-log.js';
import { type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { sharedApplication } from '../support/application.js';
import { admin, call, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { type Application } from '../support/service.js';
import { openLog } from '../support/service-log.js';

let service: Application;
let bank: TestPartner;

beforeAll(async () => {
  service = await sharedApplication();
  await admin(service, 'PUT', '/farmers/rp-evidence', { identity: { first_name: 'Eneojo' } });
  bank = await makePartner(service);
  expect((await bank.lookup('rp-evidence')).status).toBe(200);
});

interface Line {
  readonly index: number;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly id: string;
  readonly created: string;
  readonly data: string;
  readonly metadata: string;
}

const fetched = async (query = '', token = service.auditorToken): Promise<Response> =>
  await whenServed(() => fetch(`${service.url}/admin/v1/evidence${query}`, { headers: { Authorization: `Bearer ${token}` } }));
const linesIn = (text: string): Line[] =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

async function storedEvents(): Promise<StoredEvent[]> {
  const { eventStore } = await openLog(service);
  try {
    return (await Array.fromAsync(logPages(eventStore))).flat();
  } finally {
    await eventStore.close();
  }
}

describe('GET /admin/v1/evidence', () => {
  it('returns every event of the log in its order, with the texts that the event store holds', async () => {
    const response = await fetched();
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="evidence-0.jsonl"');
    const lines = linesIn(await response.text());
    expect(lines.map(({ index }) => index)).toStrictEqual(lines.map((_, index) => index));
    const stored = (await storedEvents()).slice(0, lines.length);
    const parsed = lines.map(({ stream, revision, type, id, data, metadata }) => {
      const texts = { data: JSON.parse(data) as unknown, metadata: JSON.parse(metadata) as unknown };
      return { id, stream, revision: BigInt(revision), type, ...texts };
    });
    expect(parsed).toEqual(stored.map(({ position: _, ...event }) => event));
    for (const { created } of lines) expect(new Date(created).toISOString()).toBe(created);
  });

  it('shows no personal data', async () => {
    const text = await (await fetched()).text();
    expect(text).toContain('farmer-rp-evidence');
    expect(text).not.toContain('Eneojo');
  });

  it('continues an earlier file, which stays as it was', async () => {
    const before = await (await fetched()).text();
    const from = linesIn(before).length;
    await bank.lookup('rp-evidence');
    const rest = await (await fetched(`?from=${from}`)).text();
    expect(linesIn(rest)[0]).toMatchObject({ index: from });
    expect((await (await fetched()).text()).startsWith(before + rest)).toBe(true);
  });

  it('is empty beyond the end of the log', async () => {
    const response = await fetched('?from=9007199254740991');
    expect([response.status, await response.text()]).toStrictEqual([200, '']);
    expect(response.headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8');
  });

  it.each(['-1', 'x', '1.5', '9007199254740992'])('refuses to begin at %s', async (from) => {
    expect(await admin(service, 'GET', `/evidence?from=${from}`)).toMatchObject({ status: 422, body: { code: 'validation_failed' } });
  });

  it('is recorded in the audit trail', async () => {
    const from = linesIn(await (await fetched()).text()).length;
    // The settlement of an earlier lookup may come before it.
    const calls = linesIn(await (await fetched(`?from=${from}`, service.adminToken)).text()).filter(({ type }) =>
      type.startsWith('AdminCall'),
    );
    expect(JSON.parse(calls[0]?.data ?? '{}')).toMatchObject({ role: 'auditor', method: 'GET', route: '/admin/v1/evidence', status: 200 });
  });

  it('is for administrators and auditors', async () => {
    expect((await fetched('', service.adminToken)).status).toBe(200);
    expect((await call(service, 'GET', '/admin/v1/evidence')).status).toBe(401);
    expect((await fetched('', bank.key)).status).toBe(401);
  });
});
