import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApplication } from '../support/application.js';
import { admin, evidenceFile, makePartner, type TestPartner, whenServed } from '../support/client.js';
import { type TestService } from '../support/service.js';
import { until } from '../support/until.js';

interface Line {
  readonly index: number;
  readonly stream: string;
  readonly type: string;
  readonly data: string;
  readonly metadata: string;
}
interface Call {
  readonly request_id: string;
  readonly status: number | null;
}
interface Statement {
  readonly as_of_index: number;
  readonly closing_balance: number;
  readonly credits: { readonly items: readonly { readonly reference: string }[] };
}
interface TrialBalance {
  readonly at: string;
  readonly as_of_index: number;
  readonly accounts: readonly { readonly account: string; readonly debit: number }[];
}

const CREDITS = 12;

describe('as_of_index', () => {
  let service: TestService;
  let partner: TestPartner;
  const thisMonth = (): string => new Date().toISOString().slice(0, 'yyyy-mm'.length);

  beforeAll(async () => {
    service = await startApplication();
    partner = await makePartner(service, { credit: 0 });
  });
  afterAll(() => service.stop());

  const get = async <Data>(path: string): Promise<Data> => (await admin(service, 'GET', path)).body.data as Data;
  const wallet = () => `/partners/${partner.partner_id}/wallet`;

  /** Returns the events of the log up to one, from the evidence file. */
  async function evidence(index = Infinity): Promise<Line[]> {
    const lines = (await evidenceFile(service)).split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Line).filter((line) => line.index <= index);
  }
  /** Returns the references, by month, and the sum of the credits up to an event, as far as they are dated up to a time. */
  async function creditsUpTo(index: number, at: string) {
    const credits = (await evidence(index)).filter(({ type }) => type === 'WalletCredited');
    type Credit = { readonly reference: string; readonly amount_kobo: number; readonly recorded_at: string };
    const data = credits.map((line) => JSON.parse(line.data) as Credit).filter(({ recorded_at }) => recorded_at <= at);
    const referencesOf = (month: string): string[] =>
      data.filter(({ recorded_at }) => recorded_at.startsWith(month)).map(({ reference }) => reference);
    return { referencesOf, sum: data.reduce((sum, { amount_kobo }) => sum + amount_kobo, 0) / 100 };
  }
  /** Reads over and over while the wallet is credited. Each credit is in the log before the next begins. */
  async function whileCredited<Read>(name: string, read: () => Promise<Read>): Promise<Read[]> {
    const credits = (async () => {
      for (let at = 0; at < CREDITS; at += 1)
        await admin(service, 'POST', `${wallet()}/credits`, { amount: at + 1, reference: `${name} ${at}` });
      return 'credited';
    })();
    const found: Read[] = [];
    do found.push(await read());
    while ((await Promise.race([credits, Promise.resolve('crediting')])) === 'crediting');
    return [...found, await read()];
  }

  it('of a trial balance is the last event of the log that it includes', async () => {
    const found = await whileCredited('balance', () => get<TrialBalance>('/ledger/trial-balance'));
    for (const { at, as_of_index, accounts } of found) {
      const cash = accounts.find(({ account }) => account === 'cash_received')?.debit ?? 0;
      expect(cash).toBe((await creditsUpTo(as_of_index, at)).sum);
    }
  });

  it('of a statement is the last event of the log that it includes, for the partner as well', async () => {
    const month = thisMonth();
    const own = async () => (await partner.call('GET', `/wallet/statements/${month}`)).body.data as unknown as Statement;
    for (const read of [() => get<Statement>(`${wallet()}/statements/${month}`), own]) {
      const found = await whileCredited(String(read === own), read);
      for (const { as_of_index, closing_balance, credits } of found) {
        // No month has a day 99, so this is after all of its times.
        const { referencesOf, sum } = await creditsUpTo(as_of_index, `${month}-99`);
        expect([closing_balance, credits.items.map(({ reference }) => reference)]).toStrictEqual([sum, referencesOf(month)]);
      }
    }
  });

  it('of the audit trail is the last event of the log that its calls are computed from', async () => {
    const from = new Date().toISOString();
    await get('/price-book');
    await admin(service, 'PUT', '/farmers/rp-trail', {});
    for (let round = 0; round < 5; round += 1) {
      const { as_of_index, entries } = await get<{ as_of_index: number; entries: readonly Call[] }>(`/audit-trail?limit=200&from=${from}`);
      const events = (await evidence(as_of_index)).filter(({ type }) => type.startsWith('AdminCall'));
      const calls = new Map<string, number | null>();
      for (const line of events) {
        const { recorded_at, status = null } = JSON.parse(line.data) as { recorded_at: string; status?: number };
        const { $correlationId } = JSON.parse(line.metadata) as { $correlationId: string };
        if (recorded_at >= from) calls.set($correlationId, status);
      }
      expect(new Map(entries.map(({ request_id, status }) => [request_id, status]))).toStrictEqual(calls);
    }
  });

  it('is the newest event of the log when nothing is appended meanwhile', async () => {
    // The end of each call is recorded after its response.
    await until(async () => {
      const { as_of_index } = await get<TrialBalance>('/ledger/trial-balance');
      return (await evidence(as_of_index)).at(-1)?.index === as_of_index;
    });
  });

  it('is in every format of a statement', async () => {
    const month = thisMonth();
    const { as_of_index } = await get<Statement>(`${wallet()}/statements/${month}`);
    const text = async (format: string): Promise<string> => {
      const path = `${service.url}/admin/v1${wallet()}/statements/${month}?format=${format}`;
      const headers = { Authorization: `Bearer ${service.adminToken}` };
      return await (await whenServed(() => fetch(path, { headers }))).text();
    };
    const [inCsv, inHtml] = [
      /\r\nas_of_index,,(\d+),/.exec(await text('csv'))?.[1],
      / as of event (\d+) of the log/.exec(await text('html'))?.[1],
    ];
    expect(Number(inCsv)).toBeGreaterThanOrEqual(as_of_index);
    expect(Number(inHtml)).toBeGreaterThanOrEqual(Number(inCsv));
  });
});
