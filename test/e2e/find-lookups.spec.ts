import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, type ApiResponse, makePartner, type TestPartner } from '../support/client.js';
import { type Application } from '../support/service.js';
import { until } from '../support/until.js';

interface Found {
  readonly lookup_id: string;
  readonly request_id: string;
  readonly charged_at: string;
  readonly partner: { readonly partner_id: string };
  readonly outcome: { readonly status: string; readonly revision?: number };
  readonly events: readonly { readonly type: string; readonly revision: number; readonly position: string }[];
}
interface Page {
  readonly lookups: readonly Found[];
  readonly next_cursor: string | null;
}

const RUPA_ID = 'rp-found-1';

describe('the lookups of a farmer', () => {
  let service: Application;
  let bank: TestPartner;
  let insurer: TestPartner;
  /** Ids of the lookups, the oldest first. */
  const ids: string[] = [];

  beforeAll(async () => {
    service = await sharedApplication();
    for (const id of [RUPA_ID, 'rp-found-2']) await admin(service, 'PUT', `/farmers/${id}`, { identity: { full_name: 'Canary Person' } });
    bank = await makePartner(service);
    insurer = await makePartner(service, { account_type: 'insurer' });
    await bank.lookup('rp-found-2');
    for (const partner of [bank, insurer, bank]) {
      const { body } = await partner.lookup(RUPA_ID, { sections: ['identity'] });
      ids.push((body.data as unknown as { billing: { lookup_id: string } }).billing.lookup_id);
    }
  });

  const find = async (query: Record<string, string>): Promise<ApiResponse> =>
    await admin(service, 'GET', `/lookups?${new URLSearchParams(query).toString()}`);
  const page = async (query: Record<string, string>): Promise<Page> =>
    (await find({ rupa_id: RUPA_ID, ...query })).body.data as unknown as Page;
  const idsOf = ({ lookups }: Page): string[] => lookups.map(({ lookup_id }) => lookup_id);

  it('are found by the farmer, newest first, of all partners', async () => {
    const found = await page({});
    expect([idsOf(found), found.next_cursor]).toStrictEqual([[...ids].reverse(), null]);
    expect(found.lookups.map(({ partner }) => partner.partner_id)).toStrictEqual([bank, insurer, bank].map(({ partner_id }) => partner_id));
    expect(idsOf(await page({ rupa_id: RUPA_ID.toUpperCase() }))).toStrictEqual([...ids].reverse());
    expect((await find({ rupa_id: 'rp-nobody' })).body.data).toStrictEqual({ lookups: [], next_cursor: null });
  });

  it('are found in a window of time, with both of its ends', async () => {
    const [, second] = [...(await page({})).lookups].reverse();
    const at = second?.charged_at ?? '';
    expect(idsOf(await page({ from: at, to: at }))).toContain(ids[1]);
    expect(idsOf(await page({ to: new Date(Date.parse(at) - 1).toISOString() }))).not.toContain(ids[1]);
    expect(idsOf(await page({ from: new Date(Date.parse(at) + 1).toISOString() }))).not.toContain(ids[1]);
    expect(idsOf(await page({ from: '2020-01-01', to: '2020-12-31' }))).toStrictEqual([]);
  });

  it('are paged', async () => {
    const first = await page({ limit: '2' });
    const second = await page({ limit: '2', cursor: first.next_cursor ?? '' });
    expect([idsOf(first), idsOf(second), second.next_cursor]).toStrictEqual([[ids[2], ids[1]], [ids[0]], null]);
  });

  it('have their events in the log, with their positions and nothing personal', async () => {
    const first = await until(async () =>
      (await page({})).lookups.find(({ lookup_id, outcome }) => lookup_id === ids[0] && outcome.status === 'settled'),
    );
    expect(first.events.map(({ type }) => type).sort()).toStrictEqual(['ChargesSettled', 'ConsentGranted', 'WalletDebited']);
    expect(first).toMatchObject({ consent_granted: true, trace_id: null, request_id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
    for (const event of first.events)
      expect(event).toStrictEqual({
        stream: `wallet-${bank.partner_id}`,
        revision: expect.any(Number),
        position: expect.stringMatching(/^\d+$/),
        type: expect.any(String),
        recorded_at: expect.stringMatching(/Z$/),
      });
    expect(first.events.find(({ type }) => type === 'ChargesSettled')?.revision).toBe(first.outcome.revision);
    expect(JSON.stringify(first)).not.toContain('Canary');
    await admin(service, 'POST', `/lookups/${ids[0] ?? ''}/compensation`, { reason: 'wrong farmer' });
    const compensated = (await admin(service, 'GET', `/lookups/${ids[0] ?? ''}`)).body.data as unknown as Found;
    expect(compensated.events.at(-1)).toMatchObject({ type: 'LookupCompensated', revision: compensated.outcome.revision });
  });

  it('are not searched for without a farmer or a request, with both, or with a wrong value', async () => {
    const wrong: [Record<string, string>, string][] = [
      [{}, 'request_id'],
      [{ request_id: '' }, 'request_id'],
      [{ request_id: 'a', rupa_id: RUPA_ID }, 'request_id'],
      [{ rupa_id: 'no rupa id' }, 'rupa_id'],
      [{ rupa_id: RUPA_ID, from: 'yesterday' }, 'from'],
      [{ rupa_id: RUPA_ID, to: '2026-02-30' }, 'to'],
      [{ rupa_id: RUPA_ID, limit: '51' }, 'limit'],
      [{ rupa_id: RUPA_ID, cursor: 'x' }, 'cursor'],
    ];
    for (const [query, field] of wrong) {
      const { status, body } = await find(query);
      expect([query, status, Object.keys((body.data as { errors?: object } | undefined)?.errors ?? {})]).toStrictEqual([
        query,
        422,
        [field],
      ]);
    }
  });
});
