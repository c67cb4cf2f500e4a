import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { startApplication } from '../support/application.js';
import { admin, type ApiResponse, makePartner, type TestPartner } from '../support/client.js';
import { readDocument } from '../support/document.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { rupa } from '../support/rupa.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

const MONTHS = '/ledger/periods';
/** Every report of the books: the calls below /ledger that only read and need no more than a mode. */
const REPORTS = Object.entries(readDocument().paths)
  .filter(([path, item]) => path.startsWith('/admin/v1/ledger/') && !path.includes('{') && 'get' in item)
  .map(([path]) => path.slice('/admin/v1'.length));
const FILE = 'Date,Narration,Amount\n2026-03-02,nobody,7\n';
const COLUMNS = 'date=Date&reference=Narration&amount=Amount';

describe('the books while an event of theirs cannot be used', () => {
  let store: EventStoreProcess;
  let service: TestService;
  let client: EventStoreDBClient;
  let bank: TestPartner;
  let next = 0;

  beforeAll(async () => {
    store = await startEventStoreProcess();
    service = await startApplication({ EVENT_STORE_URL: store.connectionString });
    client = EventStoreDBClient.connectionString(store.connectionString);
    await admin(service, 'PUT', '/farmers/rp-booked', {});
    bank = await makePartner(service);
    expect((await bank.lookup('rp-booked', { sections: ['bvn_nin_data'] })).status).toBe(200);
  });
  afterAll(async () => {
    await client.dispose();
    await service.stop();
    await store.close();
  });

  const reconcile = async (): Promise<Pick<ApiResponse, 'status' | 'body'>> => {
    const response = await fetch(`${service.url}/admin/v1/ledger/reconciliations?${COLUMNS}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.auditorToken}`, 'Content-Type': 'text/csv' },
      body: FILE,
    });
    return { status: response.status, body: (await response.json()) as ApiResponse['body'] };
  };
  const settle = async (): Promise<ApiResponse> => {
    const [kind, account, amount, reason] = ['passthrough_settlement', 'bvn', 1, 'invoice 7'];
    next += 1;
    return await admin(service, 'POST', '/ledger/entries', { kind, account, amount, reason, reference: `settled-${next}` });
  };
  const calls = (): Record<string, () => Promise<Pick<ApiResponse, 'status' | 'body'>>> => ({
    ...Object.fromEntries(REPORTS.map((path) => [path, () => admin(service, 'GET', path)])),
    reconcile,
    settle,
  });
  /** Appends what an operator's tool could, and returns its position once the service has set it aside. */
  const setAside = async (stream: string): Promise<string> => {
    const { position } = await client.appendToStream(stream, jsonEvent({ type: 'OperatorNote', data: { a: 1 } }));
    const place = String(position?.commit);
    await until(async () => {
      const { events } = (await admin(service, 'GET', '/events/set-aside')).body.data as { events: { position: string }[] };
      return events.some((event) => event.position === place);
    });
    return place;
  };

  it('are those of at least the trial balance, the journal, revenue, prepaid money and the months', () => {
    expect(REPORTS).toStrictEqual(
      expect.arrayContaining(['trial-balance', 'journal', 'revenue', 'prepaid', 'periods'].map((name) => `/ledger/${name}`)),
    );
  });

  it.each([
    ['wallet', () => `wallet-${bank.partner_id}`],
    ['partner', () => `partner-${bank.partner_id}`],
    ['ledger', () => 'ledger-live'],
  ])('are not summed up without one of the category %s, until an operator skips it', async (category, stream) => {
    const position = await setAside(stream());
    for (const [name, send] of Object.entries(calls())) {
      const { status, body } = await send();
      // A wallet's event closes no month.
      if (name === MONTHS && category !== 'ledger') expect(status).toBe(200);
      else
        expect([name, status, body]).toMatchObject([
          name,
          503,
          { code: 'unavailable', message: expect.stringContaining(`position ${position} `) },
        ]);
    }
    expect(await rupa(service, ['events', 'skip', position, '--reason', 'a note of a tool'])).toMatchObject({ code: 0 });
    for (const [name, send] of Object.entries(calls())) await until(async () => [200, 201].includes((await send()).status) && name);
  });
});
