import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { openChargeProjection } from '../../projections/open-charge/open-charge.projection.js';
import { tableStatements } from '../../src/platform/database/schema.js';
import { type PartnerContext } from '../../src/http/authenticating/partner-context.js';
import { validateBody } from '../../src/http/validating/validation.js';
import { idOfItem } from '../../src/kernel/keyed-id.js';
import { type ResponseKey, StoredResponses } from '../../src/contexts/idempotency/stored-responses.js';
import { StoredLists } from '../../src/contexts/idempotency/stored-lists.js';
import { type FarmerReader } from '../../src/contexts/lookups/looking-up/farmer-reader.js';
import { LookupBilling } from '../../src/contexts/lookups/looking-up/lookup-billing.js';
import { LookupListDto } from '../../src/contexts/lookups/looking-up/lookup.dto.js';
import { LookUp, LookUpHandler, type LookUpResult } from '../../src/contexts/lookups/looking-up/look-up.command.js';
import { type GetPriceBookHandler } from '../../src/contexts/pricing/showing/get-price-book.query.js';
import { Charges } from '../../src/contexts/wallet/charging/charges.js';
import { EarlierKeys } from '../../src/contexts/wallet/charging/earlier-keys.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { InstancePresence } from '../../src/platform/database/instances/instance-presence.js';
import { StreamWriter, type WriterOf } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { DataKeys } from '../../src/platform/key-store/data-keys.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { type ReadYourWrites } from '../../src/platform/projecting/in-memory/read-your-writes.js';
import { deleteResponsesAbout } from '../../src/platform/stored-responses/stored-response-table.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { moneyConserved } from '../support/ledger-invariants.js';
import { rowMacs } from '../support/row-macs.js';
import { startStack, type Stack } from '../support/stack.js';
import { streamsOf } from '../support/streams-of.js';
import { startSweeper } from '../support/sweeper.js';
import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { NOTHING_SEARCHED } from '../support/unit/searched-entries.js';

const IDS = ['rp-l1', 'rp-nobody', 'rp-l2', 'rp-l3'];
const profile = { mode: 'live', identity: null, registered_at: '2026-01-01T00:00:00.000Z' };
const prices = {
  toCharge: () => Promise.resolve({ book: { version: 1, fees_kobo: { 'svc_fee.identity': 10 } }, until: undefined }),
} as unknown as GetPriceBookHandler;
const noReports = { lateStreamsOf: () => Promise.resolve([]) } as unknown as ReadYourWrites;
const farmers = {
  inTurn: async <T>(_partner: string, work: () => Promise<T>) => await work(),
  find: (requests: readonly { rupa_id: string }[]) =>
    Promise.resolve(
      requests.map(({ rupa_id }) =>
        rupa_id === 'rp-nobody'
          ? undefined
          : { profile: { ...profile, rupa_id }, reportedCriteria: {}, reported: undefined, consented: false },
      ),
    ),
} as unknown as FarmerReader;

/** The step at which a process of the call dies. */
const STEPS = ['begin', 'make', 'charged', 'store', 'stored'] as const;
type Step = (typeof STEPS)[number];

describe('a list with an Idempotency-Key', () => {
  let stack: Stack;
  let wallets: WriterOf<typeof WALLET_STREAMS>;
  let keys: DataKeys;
  let ownKey: ResponseKey;
  let partner: PartnerContext;

  beforeAll(async () => {
    stack = await startStack();
    keys = new DataKeys(stack.pool, MasterKeys.parse(`k1:${Buffer.alloc(32, 7).toString('base64')}`));
    for (const id of IDS) await keys.create(id);
    // Secrets are another subject; this key is as good.
    await keys.create('own');
    ownKey = {
      encrypt: async (text: string, bound: string) => (await keys.load(['own'])).get('own')?.encrypt(text, bound),
      decrypt: async (text: string, bound: string) => (await keys.load(['own'])).get('own')?.decrypt(text, bound),
    } as unknown as ResponseKey;
    await stack.pool.query(`create schema if not exists read; ${await tableStatements(openChargeProjection.table, 'read')}`);
    wallets = new StreamWriter(stack.eventStore, stack.codec, WALLET_STREAMS);
  });
  afterAll(() => stack.close());

  beforeEach(async () => {
    const partner_id = randomUUID();
    partner = { partner_id, key_id: 'k', mode: 'live', allowed_sections: ['identity'] } as unknown as PartnerContext;
    const at = new Date().toISOString();
    const credit = { kind: 'credit' as const, partner_id, amount_kobo: 100, reference: 'r', ...NOTHING_SEARCHED, at, actor: 'test' };
    await wallets.execute(partner_id, credit);
  });

  /** Creates the handler of a process. `at` is called with each step before it is taken: one that never resolves is a process that died. */
  function handler(at: (step: Step) => Promise<void> = () => Promise.resolve()): LookUpHandler {
    const clock = new SystemClock();
    const charges = new Charges(
      streamsOf(wallets),
      clock,
      new InstancePresence(stack.pool, clock),
      new EarlierKeys(stack.eventStore, clock),
    );
    const lists = new StoredLists(stack.pool, keys, ownKey, rowMacs);
    const [make, begin, store] = [charges.make.bind(charges), lists.begin.bind(lists), lists.store.bind(lists)];
    charges.make = async (...args) => {
      await at('make');
      const made = await make(...args);
      await at('charged');
      return made;
    };
    lists.begin = async (...args) => {
      await at('begin');
      await begin(...args);
    };
    lists.store = async (...args) => {
      await at('store');
      const stored = await store(...args);
      await at('stored');
      return stored;
    };
    const billing = new LookupBilling(farmers, noReports, prices, charges, clock, { publicUrl: '' }, pino({ level: 'silent' }));
    return new LookUpHandler(new StoredResponses(stack.pool, keys, ownKey, rowMacs), lists, billing, charges);
  }

  const lookUp = (process = handler(), key: string | null = 'key'): Promise<LookUpResult> =>
    process.execute(LookUp.list(partner, validateBody(LookupListDto, { rupa_ids: IDS }), key ?? undefined));
  const balance = async (): Promise<number> => (await wallets.load(partner.partner_id)).state.balance_kobo;
  const open = async (): Promise<string[]> => [...(await wallets.load(partner.partner_id)).state.open.keys()];
  const leaseRunsOut = async (): Promise<void> => {
    const text = "update ops.stored_response set leased_until = now() - interval '1 second' where partner_id = $1 and response is null";
    await stack.pool.query(text, [partner.partner_id]);
  };
  /** Starts a call whose process dies before a step. */
  const dieBefore = async (step: Step): Promise<void> => {
    const died = Promise.withResolvers<undefined>();
    void lookUp(
      handler(async (next) => {
        if (next !== step) return;
        died.resolve(undefined);
        await new Promise(() => undefined);
      }),
    );
    await died.promise;
  };
  const outcomesOf = ({ payload }: LookUpResult): string[] =>
    (JSON.parse(payload) as { data: { results: { outcome: string }[] } }).data.results.map(({ outcome }) => outcome);
  const wallet = async (): Promise<readonly WalletEvent[]> => {
    const stored = await stack.eventStore.readStream(`wallet-${partner.partner_id}`, { maxCount: 1_000 });
    return stored.map((event) => stack.codec.inFull(event)) as unknown as readonly WalletEvent[];
  };

  it.each(STEPS)('is charged once and answered if its process dies before the step %s', async (step) => {
    await dieBefore(step);
    if (step !== 'stored') await expect(lookUp()).rejects.toMatchObject({ code: 'idempotency_in_progress' });
    await leaseRunsOut();
    const after = await lookUp();
    expect(after.kind).toBe(step === 'stored' ? 'replayed' : 'billed');
    expect(outcomesOf(after)).toStrictEqual(['found', 'not_found', 'found', 'found']);
    expect(await balance()).toBe(70);
    expect(await open()).toHaveLength(3);
    expect((await lookUp()).payload).toBe(after.payload);
    expect(moneyConserved(await wallet())).toStrictEqual([]);
  });

  it.each([
    ['charged', 'RefundIssued', 100],
    ['stored', 'ChargesSettled', 70],
  ] as const)('whose process dies before the step %s ends by %s in the sweep, for all of its lookups', async (step, type, left) => {
    await dieBefore(step);
    await leaseRunsOut();
    for (const id of await open())
      await stack.pool.query(`insert into read.open_charge (lookup_id, partner_id, debited_at) values ($1, $2, now())`, [
        id,
        partner.partner_id,
      ]);
    await startSweeper(wallets, stack.pool).sweepStale();
    expect(await balance()).toBe(left);
    expect(await open()).toStrictEqual([]);
    expect((await wallet()).filter((event) => event.type === type)).toHaveLength(type === 'RefundIssued' ? 3 : 1);
    // Whether it was refunded or settled, the key is answered, and what it cost was paid once.
    await lookUp();
    expect(await balance()).toBe(70);
  });

  it('refunds the farmer who is erased before the response is stored, and answers the others', async () => {
    const response = await lookUp(
      handler(async (step) => {
        if (step !== 'store') return;
        await keys.create('rp-l2');
        await deleteResponsesAbout(stack.pool, ['rp-l2']);
      }),
    );
    expect(outcomesOf(response)).toStrictEqual(['found', 'not_found', 'failed', 'found']);
    expect(response).toMatchObject({ kind: 'billed', counts: { found: 2, failed: 1 } });
    expect(response.kind === 'billed' ? response.lookup_ids : []).toHaveLength(2);
    expect(JSON.parse(response.payload)).toMatchObject({ data: { summary: { amount_charged: 0.2, wallet_balance: 0.8 } } });
    expect((await lookUp()).payload).toBe(response.payload);
    expect(await balance()).toBe(80);
  });

  it('refunds a farmer whose piece is not stored also if the database does not tell what it has stored', async () => {
    const response = await lookUp(
      handler(async (step) => {
        if (step === 'store') await deleteResponsesAbout(stack.pool, ['rp-l2']);
        if (step === 'stored') throw new Error('The connection broke before the response of the database came.');
      }),
    );
    expect(outcomesOf(response)).toStrictEqual(['found', 'not_found', 'failed', 'found']);
    expect((await lookUp()).payload).toBe(response.payload);
    expect(await balance()).toBe(80);
    expect(moneyConserved(await wallet())).toStrictEqual([]);
  });

  it('refunds all of its charges if another process has taken it over meanwhile', async () => {
    let taken: LookUpResult | undefined;
    const slow = handler(async (step) => {
      if (step !== 'store' || taken) return;
      await leaseRunsOut();
      taken = await lookUp();
    });
    await expect(lookUp(slow)).rejects.toMatchObject({ code: 'idempotency_in_progress' });
    expect((await lookUp()).payload).toBe(taken?.payload);
    expect(await balance()).toBe(70);
    expect(await open()).toHaveLength(3);
  });

  it('leaves no row behind if it is refused', async () => {
    for (const key of ['a', 'b', 'c']) await lookUp(handler(), key);
    await expect(lookUp(handler(), 'd')).rejects.toMatchObject({ code: 'insufficient_balance' });
    const { rows } = await stack.pool.query<{ left: number }>(
      'select count(*)::int as left from ops.stored_response where partner_id = $1 and response is null and rupa_id <> $2',
      [partner.partner_id, 'rp-nobody'],
    );
    expect(rows[0]?.left).toBe(0);
  });

  it('is charged by as many of twenty calls at once as the balance pays for, each as a whole', async () => {
    const calls = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => lookUp(handler(), n % 2 === 0 ? `key-${n}` : null)));
    const billed = calls.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    expect(billed).toHaveLength(3);
    const refused = calls.flatMap((each) => (each.status === 'rejected' ? [each.reason as { code: string }] : []));
    expect(new Set(refused.map(({ code }) => code))).toStrictEqual(new Set(['insufficient_balance']));
    expect(await balance()).toBe(10);
    const ids = billed.flatMap((each) => (each.kind === 'billed' ? each.lookup_ids : []));
    expect(new Set(await open())).toStrictEqual(new Set(ids));
    expect(moneyConserved(await wallet())).toStrictEqual([]);
  });

  it('names its lookups by its own id, so that a later holder of the lease knows what to refund', async () => {
    await dieBefore('charged');
    const { rows } = await stack.pool.query<{ lookup_id: string }>(
      "select lookup_id from ops.stored_response where partner_id = $1 and rupa_id = ''",
      [partner.partner_id],
    );
    expect(await open()).toStrictEqual([0, 2, 3].map((index) => idOfItem(rows[0]?.lookup_id ?? '', index)));
  });
});
