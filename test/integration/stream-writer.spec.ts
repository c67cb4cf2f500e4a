import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { chainHash, GENESIS_HASH } from '../../src/platform/event-sourcing/stream-kind.js';
import { type WalletCommand } from '../../src/contexts/wallet/domain/wallet-command.js';
import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { startStack, type Stack } from '../support/stack.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { StreamWriter, type WriterOf } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { chargeOf } from '../support/unit/charge-of.js';
import { ALL_SEARCHED } from '../support/unit/searched-entries.js';

const at = '2026-11-21T10:00:00.000Z';

function credit(partner_id: string, amount_kobo: number): WalletCommand {
  return { kind: 'credit', partner_id, amount_kobo, reference: randomUUID(), ...ALL_SEARCHED, at, actor: 'test' };
}

/** Returns a charge, with the id of its lookup. */
function charge(partner_id: string, fee: number): WalletCommand & { kind: 'charge'; lookup_id: string } {
  const lookup_id = randomUUID();
  const lookup = { lookup_id, rupa_id: 'rp-1', breakdown_kobo: { fee }, grants_consent: false };
  return { ...chargeOf({ partner_id, ...lookup, source: 'loan', price_book_version: 1, key_id: 'k', at, actor: 'test' }), lookup_id };
}

describe('the stream writer', () => {
  let stack: Stack;
  let wallets: WriterOf<typeof WALLET_STREAMS>;

  beforeAll(async () => {
    stack = await startStack();
    wallets = new StreamWriter(stack.eventStore, stack.codec, WALLET_STREAMS);
  });
  afterAll(() => stack.close());

  it('commits commands that wait for the same wallet together, and decides them in order', async () => {
    const id = randomUUID();
    await wallets.execute(id, credit(id, 100));
    const results = await Promise.allSettled(Array.from({ length: 150 }, () => wallets.execute(id, charge(id, 1))));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(100);
    for (const result of results) {
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'insufficient_balance' });
    }
    const positions = new Set(results.flatMap((result) => (result.status === 'fulfilled' ? [result.value.position] : [])));
    expect(positions.size).toBeLessThan(20);
    expect((await wallets.load(id)).state.balance_kobo).toBe(0);
  });

  it('chains every event of a wallet to all events before it', async () => {
    const id = randomUUID();
    await wallets.execute(id, credit(id, 1_000));
    await Promise.all(Array.from({ length: 10 }, () => wallets.execute(id, charge(id, 1))));
    const events = await stack.eventStore.readStream(`wallet-${id}`);
    expect(events).toHaveLength(11);
    let previous = GENESIS_HASH;
    for (const { revision, type, data, metadata } of events.map((event) => stack.codec.inFull(event))) {
      previous = chainHash(previous, `wallet-${id}`, revision, type, data);
      expect(metadata.hash).toBe(previous);
    }
  });

  it('shares a wallet with another instance without losing events or overdrawing it', async () => {
    const id = randomUUID();
    const other = new StreamWriter(stack.eventStore, stack.codec, WALLET_STREAMS);
    await wallets.execute(id, credit(id, 120));
    const results = await Promise.allSettled(Array.from({ length: 200 }, (_, n) => (n % 2 ? wallets : other).execute(id, charge(id, 1))));
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(120);
    const events = await stack.eventStore.readStream(`wallet-${id}`);
    expect(events.map(({ revision }) => revision)).toStrictEqual(events.map((_, index) => BigInt(index)));
    expect(events.at(-1)?.data.balance_after_kobo).toBe(0);
  });

  it('reads a wallet before it decides while another instance writes it, so that turns do not conflict', async () => {
    const id = randomUUID();
    let conflicts = 0;
    const counting = Object.assign(Object.create(stack.eventStore) as EventStore, {
      append: async (...request: Parameters<EventStore['append']>) => {
        const result = await stack.eventStore.append(...request);
        if (result.kind !== 'appended') conflicts += 1;
        return result;
      },
    });
    const [one, other] = [1, 2].map(() => new StreamWriter(counting, stack.codec, WALLET_STREAMS));
    await one?.execute(id, credit(id, 100));
    for (let turn = 0; turn < 10; turn += 1) for (const writer of [other, one]) await writer?.execute(id, charge(id, 1));
    // The first writer learns from one conflict that it is not alone; the second reads the wallet, because it has no state of it, and learns next.
    expect(conflicts).toBeLessThanOrEqual(2);
    expect((await wallets.load(id)).state.balance_kobo).toBe(80);
  });

  it('rejects commands on the state in the log, not on cached state', async () => {
    const id = randomUUID();
    const other = new StreamWriter(stack.eventStore, stack.codec, WALLET_STREAMS);
    await expect(wallets.execute(id, charge(id, 5))).rejects.toMatchObject({ code: 'insufficient_balance' });
    await other.execute(id, credit(id, 5));
    expect((await wallets.execute(id, charge(id, 5))).events).toHaveLength(1);
    await expect(other.execute(id, charge(id, 5))).rejects.toMatchObject({ code: 'insufficient_balance' });
  });

  describe('with deferred settlements', () => {
    const settle = (id: string, { lookup_id }: { lookup_id: string }, deferMs: number) =>
      wallets.execute(id, { kind: 'settle', partner_id: id, lookup_ids: [lookup_id], at, actor: 'service' }, { deferMs });
    const typesOf = async (id: string): Promise<string[]> =>
      (await stack.eventStore.readStream(`wallet-${id}`)).map(({ type }) => type).slice(1);

    /** Credits a wallet and charges it so many times, each charge in an append of its own. */
    async function charged(id: string, count: number) {
      await wallets.execute(id, credit(id, 100));
      const charges = Array.from({ length: count }, () => charge(id, 1));
      for (const each of charges) await wallets.execute(id, each);
      return charges;
    }

    it('commits all of a wallet in one entry once the first has waited for long enough', async () => {
      const id = randomUUID();
      const [first, ...others] = await charged(id, 3);
      if (!first) throw new Error('There is no charge.');
      const settlements = [...others.map((each) => settle(id, each, 60_000)), settle(id, first, 1)];
      const settled = await Promise.all(settlements);
      expect(new Set(settled.map(({ position }) => position)).size).toBe(1);
      expect(await typesOf(id)).toStrictEqual(['WalletDebited', 'WalletDebited', 'WalletDebited', 'ChargesSettled']);
    });

    it('does not commit them with an earlier append while they are few', async () => {
      const id = randomUUID();
      const charges = await charged(id, 63);
      const settlements = charges.map((each) => settle(id, each, 60_000));
      await wallets.execute(id, charge(id, 1));
      expect(await typesOf(id)).not.toContain('ChargesSettled');
      await wallets.drain();
      expect((await Promise.all(settlements)).every(({ events }) => events.length === 1)).toBe(true);
    });

    it('commits 64 of them with the next append', async () => {
      const id = randomUUID();
      const charges = await charged(id, 64);
      const settlements = charges.map((each) => settle(id, each, 60_000));
      const next = await wallets.execute(id, charge(id, 1));
      const settled = await Promise.all(settlements);
      expect(new Set(settled.map(({ position }) => position))).toStrictEqual(new Set([next.position]));
      expect((await typesOf(id)).slice(-2)).toStrictEqual(['ChargesSettled', 'WalletDebited']);
    });
  });

  it('commits deferred commands when it is drained', async () => {
    const id = randomUUID();
    await wallets.execute(id, credit(id, 100));
    const open = charge(id, 1);
    await wallets.execute(id, open);
    const settling = wallets.execute(
      id,
      { kind: 'settle', partner_id: id, lookup_ids: [open.lookup_id], at, actor: 'service' },
      { deferMs: 60_000 },
    );
    await wallets.drain();
    expect((await settling).events).toHaveLength(1);
  });

  it('drops a command whose caller has given up', async () => {
    const id = randomUUID();
    await expect(wallets.execute(id, credit(id, 100), { signal: AbortSignal.abort() })).rejects.toThrow('aborted the command');
    expect(await stack.eventStore.readStream(`wallet-${id}`)).toStrictEqual([]);
  });

  it('loads a long wallet from its last entries', async () => {
    const id = randomUUID();
    await wallets.execute(id, credit(id, 10_000));
    const charges = Array.from({ length: 600 }, () => charge(id, 1));
    await Promise.all(charges.map((each) => wallets.execute(id, each)));
    const settled = charges.slice(0, 590).map(({ lookup_id }) => lookup_id);
    await wallets.execute(id, { kind: 'settle', partner_id: id, lookup_ids: settled, at, actor: 'service' });
    const cold = new StreamWriter(stack.eventStore, stack.codec, WALLET_STREAMS);
    const { state } = await cold.load(id);
    expect(state.balance_kobo).toBe(9_400);
    expect([...state.open.keys()].sort()).toStrictEqual(
      charges
        .slice(590)
        .map(({ lookup_id }) => lookup_id)
        .sort(),
    );
  });

  describe('with a state in memory, of a wallet that another instance has written since', () => {
    let read: number;
    let late: WriterOf<typeof WALLET_STREAMS>;

    beforeEach(() => {
      read = 0;
      const counting = Object.assign(Object.create(stack.eventStore) as EventStore, {
        readStream: async (...request: Parameters<EventStore['readStream']>) => {
          const events = await stack.eventStore.readStream(...request);
          read += events.length;
          return events;
        },
      });
      late = new StreamWriter(counting, stack.codec, WALLET_STREAMS);
    });

    /** Adds so many entries: charges, a settlement of all but four of them, and one more charge. Returns the charges. */
    async function written(id: string, entries: number) {
      const charges = Array.from({ length: Math.max(0, entries - 2) }, () => charge(id, 1));
      await Promise.all(charges.map((each) => wallets.execute(id, each)));
      const lookup_ids = charges.slice(0, -4).map(({ lookup_id }) => lookup_id);
      if (entries > 1) await wallets.execute(id, { kind: 'settle', partner_id: id, lookup_ids, at, actor: 'service' });
      const last = charge(id, 1);
      await wallets.execute(id, last);
      return [...charges, last];
    }

    it.each([1, 255, 256, 257, 2_000])('reads few of %i entries', async (entries) => {
      const id = randomUUID();
      await late.execute(id, credit(id, 10_000));
      const charges = await written(id, entries);
      read = 0;
      const { state, events } = await late.execute(id, charge(id, 1));
      expect(events).toHaveLength(1);
      expect(state.balance_kobo).toBe(10_000 - charges.length - 1);
      expect([...state.open.keys()].slice(0, -1)).toStrictEqual(charges.slice(-5).map(({ lookup_id }) => lookup_id));
      expect(read).toBeLessThanOrEqual(256 + 10);
      expect((await stack.eventStore.readStream(`wallet-${id}`)).map(({ revision }) => Number(revision))).toStrictEqual(
        Array.from({ length: entries + 2 }, (_, revision) => revision),
      );
    });

    it('keeps a charge that has been open since before, and refunds it once', async () => {
      const id = randomUUID();
      await late.execute(id, credit(id, 10_000));
      const old = charge(id, 1);
      await late.execute(id, old);
      await written(id, 600);
      const refund = { kind: 'refund', partner_id: id, lookup_ids: [old.lookup_id], reason: 'no_response', at, actor: 'service' } as const;
      expect((await late.execute(id, refund)).events).toHaveLength(1);
      expect((await wallets.execute(id, refund)).events).toHaveLength(0);
      expect((await late.load(id)).state.balance_kobo).toBe(10_000 - 599);
    });
  });
});
