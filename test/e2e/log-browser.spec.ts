import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { binaryEvent, EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, call } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

interface Shown {
  readonly stream: string;
  readonly revision: number;
  readonly position: string;
  readonly type: string;
  readonly state: string;
  readonly reason: string | null;
  readonly data: Record<string, unknown> | null;
  readonly hidden_fields: readonly string[];
  readonly text: string | null;
}
interface Page {
  readonly events: readonly Shown[];
  readonly last_revision: number;
  readonly next: number | null;
  readonly next_cursor: string | null;
}
interface Recorded {
  readonly action: string;
  readonly target: string | null;
  readonly reason: string | null;
  readonly status: number;
}

const RUPA_ID = 'rp-looked-into';
const FARMER = `farmer-${RUPA_ID}`;
const PERSON = 'Aisha Canary';
/** Names that no service would give a stream. */
const ODD = 'notes-اسم طويل/?#%& "<b>" ünï';
const PATH = '/console/log/stream';

describe('the log for people who look into it', () => {
  let store: EventStoreProcess;
  let service: TestService;
  let client: EventStoreDBClient;
  let auditor: ConsoleVisitor;
  let administrator: ConsoleVisitor;

  beforeAll(async () => {
    store = await startEventStoreProcess();
    service = await startApplication({ EVENT_STORE_URL: store.connectionString });
    client = EventStoreDBClient.connectionString(store.connectionString);
    await admin(service, 'PUT', `/farmers/${RUPA_ID}`, { identity: { full_name: PERSON } });
    await admin(service, 'PUT', `/farmers/${RUPA_ID}`, { identity: { full_name: `${PERSON} Bello` } });
    await client.appendToStream(ODD, jsonEvent({ type: 'Note', data: { name: PERSON } }));
    await client.appendToStream(FARMER, binaryEvent({ type: 'NoteAdded', data: Buffer.from(`{"name": "${PERSON}`) }));
    [auditor, administrator] = [new ConsoleVisitor(service), new ConsoleVisitor(service)];
    await auditor.signIn(service.auditorToken);
    await administrator.signIn(service.adminToken);
    await until(async () => (await pageOf('/events/set-aside')).events.length > 0);
  });
  afterAll(async () => {
    await client.dispose();
    await service.stop();
    await store.close();
  });

  const pageOf = async (path: string): Promise<Page> => (await admin(service, 'GET', path)).body.data as unknown as Page;
  const get = async (path: string, token: string, headers: Record<string, string> = {}): Promise<ApiResponse> =>
    await call(service, 'GET', `/admin/v1${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } });
  const recorded = async (): Promise<readonly Recorded[]> =>
    (await admin(service, 'GET', '/audit-trail?limit=200')).body.data.entries as readonly Recorded[];
  const readings = async (): Promise<readonly Recorded[]> =>
    (await recorded()).filter(({ action, reason }) => action === 'GET /admin/v1/streams/:stream' && reason !== null);
  const html = async (visitor: ConsoleVisitor, path: string): Promise<[number, string]> => {
    const response = await visitor.get(path);
    return [response.status, await response.text()];
  };

  it('ends with the newest events, page by page, without their data', async () => {
    const { events, next_cursor } = await pageOf('/events?limit=3');
    const older = await pageOf(`/events?limit=3&cursor=${next_cursor ?? ''}`);
    const positions = [...events, ...older.events].map(({ position }) => BigInt(position));
    expect(positions).toStrictEqual(positions.toSorted((one, other) => (one < other ? 1 : -1)));
    expect(new Set(positions).size).toBe(6);
    expect(events.every((event) => !('data' in event))).toBe(true);
  });

  it('ends with the newest events of a category', async () => {
    const { events, next_cursor } = await pageOf('/events?category=farmer');
    expect(new Set(events.map(({ stream }) => stream.split('-')[0]))).toStrictEqual(new Set(['farmer']));
    expect(next_cursor).toBeNull();
    expect((await pageOf('/events?category=nothing')).events).toStrictEqual([]);
  });

  it('refuses a cursor that it did not make, or that names no position of the log', async () => {
    expect((await admin(service, 'GET', '/events?cursor=nonsense')).status).toBe(422);
    const forged = Buffer.from(JSON.stringify(['log-events', '99999999999999999999'])).toString('base64url');
    expect((await admin(service, 'GET', `/events?cursor=${forged}`)).status).toBe(422);
  });

  it('has the events of a stream without what is personal, newest first and page by page', async () => {
    const first = await pageOf(`/streams/${FARMER}?limit=2`);
    expect(first.events.map(({ revision, state }) => [revision, state])).toStrictEqual([
      [first.last_revision, 'set_aside'],
      [first.last_revision - 1, 'usable'],
    ]);
    expect(first.events[1]).toMatchObject({ hidden_fields: ['content'], data: { rupa_id: RUPA_ID } });
    expect(JSON.stringify(first)).not.toMatch(/Canary|v1:/);
    const rest = await pageOf(`/streams/${FARMER}?from=${first.next ?? ''}`);
    expect([rest.events.at(-1)?.revision, rest.next]).toStrictEqual([0, null]);
  });

  it('has an event that cannot be decoded, with the reason and not its text', async () => {
    const [event] = (await pageOf(`/streams/${FARMER}?limit=1`)).events;
    expect(event).toMatchObject({ state: 'set_aside', reason: expect.stringContaining('type'), data: null, text: null });
    const { events } = await pageOf('/events/set-aside');
    expect(events).toMatchObject([{ stream: FARMER, category: 'farmer', holds_up: [FARMER], position: event?.position }]);
  });

  it('shows what is personal to an administrator with a reason, and records stream and reason', async () => {
    const path = `/streams/${FARMER}?personal=true`;
    const before = await readings();
    expect(await get(path, service.adminToken)).toMatchObject({
      status: 422,
      body: { data: { errors: { 'X-Reason': expect.any(Array) } } },
    });
    expect((await get(path, service.auditorToken, { 'X-Reason': 'curiosity' })).status).toBe(403);
    const { status, body } = await get(path, service.adminToken, { 'X-Reason': 'complaint%204711' });
    const { events } = body.data as unknown as Page;
    expect([status, events[0]?.text, events[1]?.hidden_fields]).toStrictEqual([200, `{"name": "${PERSON}`, []]);
    expect(JSON.stringify(events[1]?.data)).toContain(`${PERSON} Bello`);
    const made = (await readings()).slice(0, (await readings()).length - before.length);
    expect(made).toMatchObject([{ target: FARMER, reason: 'complaint 4711', status: 200 }, { status: 403 }]);
  });

  it('has no stream of another name, and writes neither that name nor one that something else gave into the audit trail', async () => {
    for (const name of ['farmer-Aminatu Canary', 'Aminatu Canary', '$all', '$streams', ' ', 'x'.repeat(2_000)])
      expect([name, (await admin(service, 'GET', `/streams/${encodeURIComponent(name)}`)).status]).toStrictEqual([name, 404]);
    expect((await pageOf(`/streams/${encodeURIComponent(ODD)}`)).events).toMatchObject([{ state: 'foreign', data: null, text: null }]);
    await client.appendToStream('notes-Aminatu', jsonEvent({ type: 'Note', data: {} }));
    expect((await pageOf('/streams/notes-Aminatu')).events).toHaveLength(1);
    expect(JSON.stringify(await recorded())).not.toMatch(/Aminatu|Canary|notes-/);
  });

  it('does not show a deleted stream as a shorter one', async () => {
    await client.appendToStream('notes-deleted', jsonEvent({ type: 'Note', data: {} }));
    await client.deleteStream('notes-deleted');
    expect(await admin(service, 'GET', '/streams/notes-deleted')).toMatchObject({ status: 503, body: { code: 'history_missing' } });
    const [status, page] = await html(auditor, `${PATH}?name=notes-deleted`);
    expect([status, page.includes('hidden or gone')]).toStrictEqual([503, true]);
  });

  it('is on pages for auditors, without anything personal', async () => {
    for (const [path, text] of [
      ['/console/log', FARMER],
      [PATH, 'Name of the stream'],
      [`${PATH}?name=${FARMER}`, 'hidden from auditors'],
      [`${PATH}?name=${encodeURIComponent(ODD)}`, 'none of the service’s'],
      ['/console/log/set-aside', 'rupa events skip'],
      ['/console/log/parts', 'At positions'],
    ] as const) {
      const [status, page] = await html(auditor, path);
      expect([path, status, page.includes(text), /Canary|Show personal data/.test(page)]).toStrictEqual([path, 200, true, false]);
    }
    const [status, page] = await html(auditor, `${PATH}?name=farmer-nobody`);
    expect([status, page.includes('No stream of the log has this name')]).toStrictEqual([404, true]);
    expect((await html(auditor, `${PATH}?name=${FARMER}&from=abc`))[0]).toBe(422);
  });

  it('is on a page with what is personal once an administrator types a reason, and not for an auditor', async () => {
    const page = `${PATH}?name=${FARMER}`;
    const shown = async (visitor: ConsoleVisitor, submitted: Response): Promise<readonly [status: number, html: string]> =>
      await html(visitor, submitted.headers.get('location') ?? '');
    const [status, read] = await shown(administrator, await administrator.act(page, PATH, { reason: 'complaint 4712' }));
    expect([status, read.includes(`${PERSON} Bello`)]).toStrictEqual([200, true]);
    const [invalid, short] = await shown(administrator, await administrator.act(page, PATH, { reason: 'x' }));
    expect([invalid, short.includes('Canary')]).toStrictEqual([422, false]);
    const crafted = { ...(await auditor.crafted(page)), name: FARMER, from: '', reason: 'complaint 4712' };
    const [refused, none] = await shown(auditor, await auditor.submit(PATH, crafted));
    expect([refused, none.includes('Canary')]).toStrictEqual([403, false]);
    expect((await readings())[0]).toMatchObject({ status: 403 });
    expect((await readings())[1]).toMatchObject({ target: FARMER, reason: 'complaint 4712', status: 200 });
  });

  it('names the witnesses, of which there is none by default', async () => {
    expect((await admin(service, 'GET', '/witnesses')).body.data).toMatchObject({ witnesses: [] });
  });
});
