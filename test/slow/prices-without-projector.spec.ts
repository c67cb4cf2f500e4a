import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { admin, call, makePartner, partnerWith, type TestPartner } from '../support/client.js';
import { JumpingTime } from '../support/jumping-time.js';
import { type TestService } from '../support/service.js';
import { type SharedStores, startSharedStores } from '../support/shared-stores.js';
import { until } from '../support/until.js';

/** The jumps together stay below five minutes, by which a debit may differ from the event store's own time, which does not jump. */
const AHEAD_MS = 80_000;
const AT_ONCE = 8;

interface Book {
  readonly version: number;
  readonly fees: Readonly<Record<string, number>>;
  readonly scheduled: { readonly effective_at: string } | null;
}

describe('APIs without a projector or any other role', () => {
  let stores: SharedStores;
  let time: JumpingTime;
  let one: TestService;
  let other: TestService;
  let alone: TestService | undefined;
  let bank: TestPartner;
  let log: EventStore;

  beforeAll(async () => {
    stores = await startSharedStores();
    time = await JumpingTime.of(stores.databaseUrl);
    log = new EventStore(stores.store.connectionString);
    const projector = await stores.start('projector');
    [one, other] = await Promise.all([stores.start('api', time.env, { repeats: true }), stores.start('api', time.env, { repeats: true })]);
    await time.useInDefaults();
    bank = await makePartner(one);
    await admin(one, 'PUT', '/farmers/rp-1', {});
    await until(async () => (await Promise.all([one, other].map((each) => charged(each)))).every((amount) => amount === 50));
    await projector.stop();
  });
  afterAll(async () => {
    await Promise.all([one, other, alone].map(async (each) => each?.stop()));
    await log.close();
    await time.close();
    await stores.close();
  });

  const book = async (service: TestService): Promise<Book> => (await admin(service, 'GET', '/price-book')).body.data as unknown as Book;

  /** Looks up through an instance. Returns what it was charged, or the response's status if it failed. */
  async function charged(service: TestService): Promise<number> {
    const { status, body } = await partnerWith(service, bank.partner_id, bank.key).lookup('rp-1', { sections: ['identity'] });
    return status === 200 ? (body.data.billing as { amount_charged: number }).amount_charged : status;
  }

  async function schedule(identity: number): Promise<string> {
    const [now] = await time.query<{ at: Date }>(`select clock_timestamp() + interval '${AHEAD_MS} ms' as at`);
    const effective_at = now?.at.toISOString() ?? '';
    const { fees } = await book(one);
    const response = await admin(one, 'PUT', '/price-book', { fees: { ...fees, 'svc_fee.identity': identity }, effective_at });
    expect(response).toMatchObject({ status: 200, body: { data: { scheduled: { effective_at } } } });
    return effective_at;
  }

  const published = async (): Promise<(readonly [unknown, unknown])[]> =>
    (await log.readStream('pricebook-main')).map(({ data }) => [data.version, data.schedule_revision] as const);

  /** Returns the versions of the debits in the log, oldest first. */
  const debited = async (): Promise<unknown[]> =>
    (await log.readStream(`wallet-${bank.partner_id}`))
      .filter(({ type }) => type === 'WalletDebited')
      .map(({ data }) => data.price_book_version);

  it('charge a scheduled price book from its time on, all of them, as one version', async () => {
    const effective_at = await schedule(60);
    expect(await Promise.all([one, other].map((each) => charged(each)))).toStrictEqual([50, 50]);
    expect(await book(other)).toMatchObject({ version: 1, scheduled: { effective_at } });
    await time.jump(AHEAD_MS);
    // The lookup through the instance that did not schedule it is the first call after its time.
    expect(await charged(other)).toBe(60);
    const lookups = Array.from({ length: AT_ONCE }, () => [charged(one), charged(other)]).flat();
    expect(new Set(await Promise.all(lookups))).toStrictEqual(new Set([60]));
    for (const service of [one, other]) {
      expect(await book(service)).toMatchObject({ version: 2, fees: { 'svc_fee.identity': 60 }, scheduled: null });
      const { versions } = (await admin(service, 'GET', '/price-book/history')).body.data as {
        versions: { version: number; published_at: string; effective_at: string }[];
      };
      expect(versions.at(-1)).toMatchObject({ version: 2, effective_at });
      expect(Date.parse(versions.at(-1)?.published_at ?? '')).toBeLessThan(Date.parse(effective_at));
    }
    expect(await published()).toStrictEqual([
      [1, undefined],
      [2, 0],
    ]);
    expect((await debited()).slice(-2 * AT_ONCE - 1)).toStrictEqual(Array.from({ length: 2 * AT_ONCE + 1 }, () => 2));
  });

  it('never charge a price book that was cancelled before its time through another one', async () => {
    await schedule(99);
    expect(await admin(other, 'DELETE', '/price-book/schedule')).toMatchObject({ status: 200, body: { data: { scheduled: null } } });
    await time.jump(AHEAD_MS);
    expect(await Promise.all([one, other].map((each) => charged(each)))).toStrictEqual([60, 60]);
  });

  it('charge it from the first lookup on after all of them were down at its time, and cancel it no more', async () => {
    await schedule(70);
    await Promise.all([one.stop(), other.stop()]);
    await time.jump(AHEAD_MS);
    alone = await stores.start('api', time.env, { repeats: true });
    expect(await charged(alone)).toBe(70);
    expect(await admin(alone, 'DELETE', '/price-book/schedule')).toMatchObject({
      status: 200,
      body: { data: { version: 3, fees: { 'svc_fee.identity': 70 }, scheduled: null } },
    });
    expect(await charged(alone)).toBe(70);
    expect((await debited()).slice(-2)).toStrictEqual([3, 3]);
    const verification = await call(alone, 'GET', `/admin/v1/partners/${bank.partner_id}/wallet/verification`, {
      headers: { Authorization: `Bearer ${alone.auditorToken}` },
    });
    expect(verification.body.data).toMatchObject({ ok: true, fault: null });
  });
});
