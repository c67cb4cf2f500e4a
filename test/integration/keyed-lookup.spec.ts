import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import pino from 'pino';
import { OutcomeUnknown } from '../../src/platform/event-sourcing/event-store.js';
import { NO_DEDUCTIONS } from '../../src/contexts/wallet/domain/deductions.js';
import { Rejection } from '../../src/platform/event-sourcing/decider.js';
import { type PartnerContext } from '../../src/http/authenticating/partner-context.js';
import { InstancePresence } from '../../src/platform/database/instances/instance-presence.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { DataKeys } from '../../src/platform/key-store/data-keys.js';
import { type ResponseKey, StoredResponses } from '../../src/contexts/idempotency/stored-responses.js';
import { type StoredLists } from '../../src/contexts/idempotency/stored-lists.js';
import { LookupBilling } from '../../src/contexts/lookups/looking-up/lookup-billing.js';
import { type FarmerReader } from '../../src/contexts/lookups/looking-up/farmer-reader.js';
import { LookUp, LookUpHandler, type LookUpResult } from '../../src/contexts/lookups/looking-up/look-up.command.js';
import { LookupDto } from '../../src/contexts/lookups/looking-up/lookup.dto.js';
import { type GetPriceBookHandler } from '../../src/contexts/pricing/showing/get-price-book.query.js';
import { type ReadYourWrites } from '../../src/platform/projecting/in-memory/read-your-writes.js';
import { Charges, ChargeUncertain } from '../../src/contexts/wallet/charging/charges.js';
import { EarlierKeys } from '../../src/contexts/wallet/charging/earlier-keys.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { validateBody } from '../../src/http/validating/validation.js';
import { startStack, type Stack } from '../support/stack.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { StreamWriter, type WriterOf } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { streamsOf } from '../support/streams-of.js';
import { MASTER_KEY, rowMacs } from '../support/row-macs.js';
import { RowMacs } from '../../src/platform/projecting/row-macs.js';
import { ALL_SEARCHED, NOTHING_SEARCHED } from '../support/unit/searched-entries.js';

const RUPA_ID = 'rp-1';
const rotatedMacs = new RowMacs(MasterKeys.parse(`k2:${Buffer.alloc(32, 8).toString('base64')},${MASTER_KEY}`));
const request = { rupa_id: RUPA_ID, source: 'loan' };
const profile = { rupa_id: RUPA_ID, mode: 'live', identity: null, registered_at: '2026-01-01T00:00:00.000Z' };
const farmers = {
  during: async <T>(lookUp: () => Promise<T>) => await lookUp(),
  find: () => Promise.resolve([{ profile, reportedCriteria: {}, reported: undefined, consented: true }]),
} as unknown as FarmerReader;
const noLists = {} as unknown as StoredLists;
const silentLogger = pino({ level: 'silent' });
const noReports = { lateStreamsOf: () => Promise.resolve([]) } as unknown as ReadYourWrites;
const book = { version: 1, fees_kobo: { 'svc_fee.identity': 10 } };
const prices = { toCharge: () => Promise.resolve({ book, until: undefined }) } as unknown as GetPriceBookHandler;
/** Prices that change at a time that the wallet has reached, and the process has not noticed yet. */
const changingAt = (effective_at: string): GetPriceBookHandler => {
  const next = { version: 2, fees_kobo: { 'svc_fee.identity': 20 } };
  return {
    toCharge: (notBefore = '') =>
      Promise.resolve(notBefore >= effective_at ? { book: next, until: undefined } : { book, until: effective_at }),
  } as unknown as GetPriceBookHandler;
};

/** How the process of a lookup fails; other processes have to complete the lookup. */
type Failure = 'none' | 'dies before the charge' | 'dies after the charge' | 'is unsure of the charge' | 'is refused';

class ProcessDied extends Error {}

class ShiftedClock extends SystemClock {
  constructor(private readonly hours: number) {
    super();
  }

  override iso(): string {
    return new Date(Date.now() + this.hours * 3_600_000).toISOString();
  }
}

describe('a lookup with an Idempotency-Key', () => {
  let stack: Stack;
  let wallets: WriterOf<typeof WALLET_STREAMS>;
  let responsesUnder: (macs: RowMacs) => StoredResponses;
  let storedResponses: StoredResponses;
  let partner: PartnerContext;

  beforeAll(async () => {
    stack = await startStack();
    const keys = new DataKeys(stack.pool, MasterKeys.parse(`k1:${Buffer.alloc(32, 7).toString('base64')}`));
    await keys.create(RUPA_ID);
    wallets = new StreamWriter(stack.eventStore, stack.codec, WALLET_STREAMS);
    responsesUnder = (macs) => new StoredResponses(stack.pool, keys, {} as unknown as ResponseKey, macs);
  });
  afterAll(() => stack.close());

  beforeEach(async () => {
    storedResponses = responsesUnder(rowMacs);
    const partner_id = randomUUID();
    partner = { partner_id, key_id: 'k', mode: 'live', allowed_sections: ['identity'] } as unknown as PartnerContext;
    const credit = {
      kind: 'credit' as const,
      partner_id,
      amount_kobo: 100,
      reference: 'r',
      ...NOTHING_SEARCHED,
      at: new Date().toISOString(),
      actor: 'test',
    };
    await wallets.execute(partner_id, credit);
  });

  /** Creates the handler of one process over the shared stores. */
  function handler(
    failure: Failure = 'none',
    between: () => Promise<void> = () => Promise.resolve(),
    clock = new SystemClock(),
    charging = prices,
  ): LookUpHandler {
    const charges = new Charges(
      streamsOf(wallets),
      clock,
      new InstancePresence(stack.pool, clock),
      new EarlierKeys(stack.eventStore, clock),
    );
    const make = charges.make.bind(charges);
    charges.make = async (charge, mode) => {
      if (failure === 'is refused') throw new Rejection('insufficient_balance');
      if (failure === 'dies before the charge') return await new Promise(() => undefined);
      const charged = await make(charge, mode);
      if (failure === 'is unsure of the charge') throw new ChargeUncertain(new OutcomeUnknown('late'));
      if (failure === 'dies after the charge') return await new Promise(() => undefined);
      await between();
      return charged;
    };
    const billing = new LookupBilling(farmers, noReports, charging, charges, clock, { publicUrl: '' }, silentLogger);
    return new LookUpHandler(storedResponses, noLists, billing, charges);
  }

  const lookUpBy = (process: LookUpHandler, key = 'key', over = {}): Promise<LookUpResult> =>
    process.execute(LookUp.one(partner, validateBody(LookupDto, { ...request, ...over }), key));
  const balance = async (): Promise<number> => (await wallets.load(partner.partner_id)).state.balance_kobo;
  const settle = async (looked: LookUpResult): Promise<void> => {
    const { partner_id } = partner;
    const lookup_ids = looked.kind === 'billed' ? looked.lookup_ids : [];
    await wallets.execute(partner_id, { kind: 'settle', partner_id, lookup_ids, at: new Date().toISOString(), actor: 'test' });
  };
  const deleteResponse = async (): Promise<void> => {
    await stack.pool.query('delete from ops.stored_response where partner_id = $1', [partner.partner_id]);
  };
  /** Forgets the states of all wallets. The wallet gets an entry from which alone its next state is restored. */
  const startAgain = async (): Promise<void> => {
    const { partner_id } = partner;
    const at = new Date().toISOString();
    const more = { amount_kobo: 1, reference: 'more', ...ALL_SEARCHED };
    await wallets.execute(partner_id, { kind: 'credit', partner_id, ...more, at, actor: 'test' });
    const took = { credit_reference: 'more', amount_kobo: 1, reference: 'back', reason: 'test', ...ALL_SEARCHED };
    const found = {
      credit: { amount_kobo: 1, kind: 'payment' as const, deductions: NO_DEDUCTIONS },
      reversed_kobo: 0,
      isOtherReference: false,
    };
    await wallets.execute(partner_id, { kind: 'reverse', partner_id, ...took, found, at, actor: 'test' });
    wallets = new StreamWriter(stack.eventStore, stack.codec, WALLET_STREAMS);
  };
  const leaseRunsOut = async (): Promise<void> => {
    await stack.pool.query("update ops.stored_response set leased_until = now() - interval '1 second' where partner_id = $1", [
      partner.partner_id,
    ]);
  };
  /** Starts a lookup whose process dies halfway, and waits until its row or its charge is visible. */
  const dieDuringLookup = async (failure: Failure, seen: () => Promise<boolean>): Promise<void> => {
    void lookUpBy(handler(failure)).catch((error: unknown) => {
      throw new ProcessDied(String(error));
    });
    while (!(await seen())) await new Promise(setImmediate);
  };
  const begun = async (): Promise<boolean> =>
    (await stack.pool.query('select 1 from ops.stored_response where partner_id = $1', [partner.partner_id])).rowCount === 1;
  const charged = async (): Promise<boolean> => (await balance()) === 90;

  it('is billed once and returns the same bytes when it is retried', async () => {
    const first = await lookUpBy(handler());
    const again = await lookUpBy(handler());
    expect(first).toMatchObject({ kind: 'billed' });
    expect(again).toStrictEqual({ kind: 'replayed', payload: first.payload, counts: undefined });
    expect(await balance()).toBe(90);
  });

  it('is priced again if other prices take effect before its charge is recorded', async () => {
    const process = handler('none', undefined, undefined, changingAt(new Date().toISOString()));
    const { payload } = await lookUpBy(process);
    expect(JSON.parse(payload)).toMatchObject({ data: { billing: { amount_charged: 0.2 } } });
    expect(await lookUpBy(process)).toStrictEqual({ kind: 'replayed', payload, counts: undefined });
    expect(await balance()).toBe(80);
  });

  it('does not share its key with other partners', async () => {
    await lookUpBy(handler());
    const other = { ...partner, partner_id: randomUUID() };
    await expect(handler('is refused').execute(LookUp.one(other, validateBody(LookupDto, request), 'key'))).rejects.toThrow(Rejection);
  });

  it('is refused for another body, both while the first one runs and after its response', async () => {
    await lookUpBy(handler());
    await expect(lookUpBy(handler(), 'key', { source: 'other' })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
    await dieDuringLookup('dies before the charge', begun);
    await expect(lookUpBy(handler(), 'key', { sections: ['identity'] })).rejects.toMatchObject({ code: 'idempotency_key_reused' });
  });

  it('is billed once when many run concurrently, and the others get a conflict', async () => {
    const outcomes = await Promise.allSettled(Array.from({ length: 20 }, () => lookUpBy(handler())));
    const responses = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason as unknown] : []));
    expect(responses.filter(({ kind }) => kind === 'billed')).toHaveLength(1);
    expect(new Set(responses.map(({ payload }) => payload)).size).toBe(1);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'idempotency_in_progress' });
    expect(await balance()).toBe(90);
  });

  it('leaves its key free when it was not charged', async () => {
    await expect(lookUpBy(handler('is refused'))).rejects.toThrow(Rejection);
    expect(await lookUpBy(handler())).toMatchObject({ kind: 'billed' });
  });

  it.each([
    ['dies before the charge', begun],
    ['dies after the charge', charged],
  ] as const)(
    'of a process that %s blocks its key until the lease expires, and is then taken over and billed once',
    async (failure, seen) => {
      await dieDuringLookup(failure, seen);
      await expect(lookUpBy(handler())).rejects.toMatchObject({ code: 'idempotency_in_progress' });
      await leaseRunsOut();
      expect(await lookUpBy(handler())).toMatchObject({ kind: 'billed' });
      expect(await balance()).toBe(90);
      expect(await lookUpBy(handler())).toMatchObject({ kind: 'replayed' });
    },
  );

  it('with an uncertain charge blocks its key, and is refunded before it is taken over', async () => {
    await expect(lookUpBy(handler('is unsure of the charge'))).rejects.toThrow(ChargeUncertain);
    await expect(lookUpBy(handler())).rejects.toMatchObject({ code: 'idempotency_in_progress' });
    await leaseRunsOut();
    expect(await lookUpBy(handler())).toMatchObject({ kind: 'billed' });
    expect(await balance()).toBe(90);
  });

  it('refunds its charge when another process has taken it over in the meantime', async () => {
    let taken: LookUpResult | undefined;
    const slow = handler('none', async () => {
      await leaseRunsOut();
      taken = await lookUpBy(handler());
    });
    await expect(lookUpBy(slow)).rejects.toMatchObject({ code: 'idempotency_in_progress' });
    expect(taken).toMatchObject({ kind: 'billed' });
    expect(await lookUpBy(handler())).toStrictEqual({ kind: 'replayed', payload: taken?.payload, counts: undefined });
    expect(await balance()).toBe(90);
  });

  it('refunds its charge when its response cannot be stored in time', async () => {
    await expect(lookUpBy(handler('none', leaseRunsOut))).rejects.toMatchObject({ code: 'idempotency_in_progress' });
    expect(await balance()).toBe(100);
    expect(await lookUpBy(handler())).toMatchObject({ kind: 'billed' });
  });

  it('stays billed when its response was stored without confirmation, because another request may have fetched the response', async () => {
    const store = storedResponses.store.bind(storedResponses);
    let fetched: LookUpResult | undefined;
    const storing = jest.spyOn(storedResponses, 'store').mockImplementationOnce(async (lease, payload) => {
      await store(lease, payload);
      fetched = await lookUpBy(handler());
      throw new Error('the connection broke');
    });
    const first = await lookUpBy(handler());
    storing.mockRestore();
    expect(first).toMatchObject({ kind: 'billed' });
    expect([fetched, await lookUpBy(handler())]).toStrictEqual(
      Array.from({ length: 2 }, () => ({ kind: 'replayed', payload: first.payload, counts: undefined })),
    );
    expect(await balance()).toBe(90);
  });

  it('is forgotten after a day', async () => {
    await settle(await lookUpBy(handler()));
    await stack.pool.query("update ops.stored_response set begun_at = now() - interval '25 hours' where partner_id = $1", [
      partner.partner_id,
    ]);
    const tomorrow = handler('none', undefined, new ShiftedClock(25));
    expect(await lookUpBy(tomorrow, 'key', { source: 'other' })).toMatchObject({ kind: 'billed' });
    expect(await balance()).toBe(80);
  });

  it.each(['the process that charged it', 'a process that has just started', 'a process whose master key is another one by then'])(
    'is not charged again by %s if somebody deletes the stored response',
    async (which) => {
      await settle(await lookUpBy(handler()));
      await deleteResponse();
      if (which !== 'the process that charged it') await startAgain();
      if (which.includes('master key')) storedResponses = responsesUnder(rotatedMacs);
      for (const source of ['loan', 'other'])
        await expect(lookUpBy(handler(), 'key', { source })).rejects.toMatchObject({ code: 'response_lost' });
      expect(await lookUpBy(handler(), 'another key')).toMatchObject({ kind: 'billed' });
      expect(await balance()).toBe(80);
    },
  );

  it('waits for its open charge if somebody deletes the row meanwhile', async () => {
    await lookUpBy(handler());
    await deleteResponse();
    await expect(lookUpBy(handler())).rejects.toMatchObject({ code: 'key_in_use' });
    expect(await balance()).toBe(90);
  });

  it('stores nothing that is readable without the farmer’s data key', async () => {
    const { payload } = await lookUpBy(handler(), 'a very private key');
    const { rows } = await stack.pool.query('select * from ops.stored_response where partner_id = $1', [partner.partner_id]);
    expect(JSON.stringify(rows)).not.toContain(payload);
    expect(JSON.stringify(rows)).not.toContain('a very private key');
  });
});
