import { beforeAll, describe, expect, it } from '@jest/globals';
import { sharedApplication } from '../support/application.js';
import { admin, makePartner } from '../support/client.js';
import { ConsoleVisitor } from '../support/console.js';
import { type Application } from '../support/service.js';
import { givenPast } from '../support/wallet-past.js';
import { ALL_SEARCHED } from '../support/unit/searched-entries.js';

interface Balances {
  readonly balances: readonly { readonly revision: number; readonly recorded_at: string; readonly balance: number }[];
  readonly every: number;
}

interface Entries {
  readonly entries: readonly { readonly revision: number }[];
  readonly next: number | null;
}

const DAYS = 9;

describe('a wallet with an entry a day', () => {
  let service: Application;
  let wallet: string;
  let partner_id: string;

  beforeAll(async () => {
    service = await sharedApplication();
    ({ partner_id } = await makePartner(service, { credit: 0 }));
    wallet = `/partners/${partner_id}/wallet`;
    const credits = Array.from({ length: DAYS }, (_, index) => ({
      kind: 'credit' as const,
      partner_id,
      at: `2026-01-0${index + 1}T12:00:00.000Z`,
      actor: 'test',
      amount_kobo: 10_00,
      reference: `past-${index}`,
      ...ALL_SEARCHED,
    }));
    await givenPast(service, credits);
  });

  const balancesOf = async (query: string): Promise<readonly (readonly [number, number])[]> =>
    ((await admin(service, 'GET', `${wallet}/balances${query}`)).body.data as unknown as Balances).balances.map(
      ({ revision, balance }) => [revision, balance] as const,
    );
  const entries = async (query: string): Promise<readonly [readonly number[], number | null]> => {
    const { entries: found, next } = (await admin(service, 'GET', `${wallet}/entries${query}`)).body.data as unknown as Entries;
    return [found.map(({ revision }) => revision), next];
  };

  it('has a balance after each entry, or after entries at equal distances and the last one', async () => {
    expect(await balancesOf('')).toStrictEqual(Array.from({ length: DAYS }, (_, index) => [index, (index + 1) * 10]));
    expect(await balancesOf('?points=4')).toStrictEqual([
      [0, 10],
      [3, 40],
      [6, 70],
      [8, 90],
    ]);
    expect((await admin(service, 'GET', `${wallet}/balances?points=4`)).body.data.every).toBe(3);
  });

  it('has the balances of a period, from that at its beginning on', async () => {
    expect(await balancesOf('?from=2026-01-03&to=2026-01-04')).toStrictEqual([
      [1, 20],
      [2, 30],
      [3, 40],
    ]);
    expect(await balancesOf('?from=2026-01-09T12:00:00.001Z')).toStrictEqual([[8, 90]]);
    expect(await balancesOf('?to=2026-01-01T11:59:59.999Z')).toStrictEqual([]);
    for (const query of ['?from=yesterday', '?points=1', '?points=1001'])
      expect([query, (await admin(service, 'GET', `${wallet}/balances${query}`)).status]).toStrictEqual([query, 422]);
  });

  it.each([
    ['2026-01-01T11:59:59.999Z', 0, null],
    ['2026-01-01T12:00:00.000Z', 10, 0],
    ['2026-01-05T00:00:00.000Z', 40, 3],
    ['2026-01-09T12:00:00.000Z', 90, 8],
    ['2026-03-01', 90, 8],
  ])('had at %s the balance after its last entry', async (at, balance, revision) => {
    expect((await admin(service, 'GET', `${wallet}?at=${at}`)).body.data).toStrictEqual({ balance, revision });
  });

  it('is listed from either end, in pages', async () => {
    expect(await entries('?limit=3')).toStrictEqual([[0, 1, 2], 3]);
    expect(await entries('?limit=3&order=desc')).toStrictEqual([[8, 7, 6], 5]);
    expect(await entries('?limit=3&order=desc&from=1')).toStrictEqual([[1, 0], null]);
    expect((await admin(service, 'GET', `${wallet}/entries?order=newest`)).status).toBe(422);
  });

  it('is shown in the console with the balance over a period', async () => {
    const visitor = new ConsoleVisitor(service);
    await visitor.signIn(service.adminToken);
    const page = async (query: string): Promise<string> => await (await visitor.get(`/console/wallets/${partner_id}${query}`)).text();
    expect(await page('')).toContain('Balance over time');
    expect(await page('?from=2026-01-03&to=')).toContain('value="2026-01-03"');
    expect(await page('?from=2030-01-01')).toContain('The wallet had no two entries in this period.');
  });
});
