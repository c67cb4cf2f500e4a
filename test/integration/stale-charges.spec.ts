import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { openChargeProjection } from '../../projections/open-charge/open-charge.projection.js';
import { type ResponseState } from '../../src/contexts/wallet/domain/charge-outcome.js';
import { startStack, type Stack } from '../support/stack.js';
import { startSweeper, type Sweeper } from '../support/sweeper.js';
import { until } from '../support/until.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { StreamWriter, type WriterOf } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { chargeOf } from '../support/unit/charge-of.js';
import { NOTHING_SEARCHED } from '../support/unit/searched-entries.js';

const at = '2026-11-21T10:00:00.000Z';
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const credit = { kind: 'credit' as const, amount_kobo: 100, reference: 'r', ...NOTHING_SEARCHED };

describe('a charge that was left open', () => {
  let stack: Stack;
  let wallets: WriterOf<typeof WALLET_STREAMS>;
  let id: string;
  let sweeper: Sweeper;

  beforeAll(async () => {
    stack = await startStack();
    await stack.project([openChargeProjection]).prepared;
  });
  afterAll(() => stack.close());

  beforeEach(async () => {
    wallets = new StreamWriter(stack.eventStore, stack.codec, WALLET_STREAMS);
    id = randomUUID();
    sweeper = startSweeper(new StreamWriter(stack.eventStore, stack.codec, WALLET_STREAMS), stack.pool);
    await wallets.execute(id, { ...credit, partner_id: id, at, actor: 'test' });
  });

  interface Made {
    readonly at?: string;
    readonly instance?: number;
    readonly grants_consent?: boolean;
  }

  async function charge(name: string, { at: time = at, instance, grants_consent = false }: Made = {}): Promise<string> {
    const lookup_id = `${id}-${name}`;
    const fees = { breakdown_kobo: { fee: 10 }, price_book_version: 1 };
    const lookup = { lookup_id, rupa_id: 'rp-1', source: 'loan', key_id: 'k', grants_consent };
    const command = chargeOf({ partner_id: id, ...lookup, ...fees, at: time, actor: 'test' });
    await wallets.execute(id, command, instance === undefined ? {} : { instance });
    await until(async () => (await stack.pool.query('select 1 from read.open_charge where lookup_id = $1', [lookup_id])).rowCount === 1);
    return lookup_id;
  }

  async function keyed(lookup_id: string, leased: string, response: string | null): Promise<void> {
    await stack.pool.query(
      `insert into ops.stored_response (partner_id, key_hash, request_hash, lookup_id, rupa_id, holder, leased_until, response)
       values ($1, $2, '', $2, 'rp-1', gen_random_uuid(), now() + $3::interval, $4)`,
      [id, lookup_id, leased, response],
    );
  }

  /** Returns the session in PostgreSQL that shows the instance of a sweeper; undefined while there is none. */
  async function sessionOf({ instance }: Sweeper): Promise<number | undefined> {
    const { rows } = await stack.pool.query<{ pid: number }>(
      "select pid from pg_locks where locktype = 'advisory' and objsubid = 2 and objid::bigint = $1",
      [instance],
    );
    return rows[0]?.pid;
  }

  /** Returns how each charge was closed. */
  async function closed(): Promise<Record<string, string>> {
    const events = await stack.eventStore.readStream(`wallet-${id}`);
    const outcomes = events.flatMap(({ type, data }) => {
      if (type === 'RefundIssued') return [[String(data.lookup_id), 'refunded']];
      return type === 'ChargesSettled' ? (data.charges as { lookup_id: string }[]).map(({ lookup_id }) => [lookup_id, 'settled']) : [];
    });
    return Object.fromEntries(outcomes) as Record<string, string>;
  }

  it('is refunded once, by whichever instances have seen it open for a minute', async () => {
    const lookup_id = await charge('old');
    const others = [sweeper, startSweeper(new StreamWriter(stack.eventStore, stack.codec, WALLET_STREAMS), stack.pool)];
    await sweeper.sweep();
    expect(await closed()).toStrictEqual({});
    await Promise.all(others.map((other) => other.sweepStale()));
    const events = await stack.eventStore.readStream(`wallet-${id}`);
    expect(
      events.filter(({ type }) => type === 'RefundIssued').map(({ data }) => [data.lookup_id, data.amount_kobo, data.balance_after_kobo]),
    ).toStrictEqual([[lookup_id, 10, 100]]);
    await until(async () => (await stack.pool.query('select 1 from read.open_charge where partner_id = $1', [id])).rowCount === 0);
    await sweeper.sweepStale();
    expect(await stack.eventStore.readStream(`wallet-${id}`)).toHaveLength(events.length);
  });

  it.each([
    ['an hour ago', -HOUR_MS],
    ['now', 0],
    ['in an hour', HOUR_MS],
    ['in 400 days', 400 * DAY_MS],
  ])('is refunded after a minute if the clock of its instance said that it was made %s', async (_when, ms) => {
    const lookup_id = await charge('wrong', { at: new Date(Date.now() + ms).toISOString() });
    await sweeper.sweep();
    expect(await closed()).toStrictEqual({});
    await sweeper.sweepStale();
    expect(await closed()).toStrictEqual({ [lookup_id]: 'refunded' });
  });

  it('is found even if a consent is the last event of the wallet', async () => {
    await charge('first', { grants_consent: true });
    await sweeper.sweepStale();
    expect((await stack.eventStore.lastEvent(`wallet-${id}`))?.type).toBe('RefundIssued');
  });

  it('is refunded although more are open in its wallet than one append can refund', async () => {
    const breakdown_kobo = Object.fromEntries(Array.from({ length: 11 }, (_, fee) => [`svc_fee.socioeconomic_profil${fee}`, 0]));
    const lookups = Array.from({ length: 1_500 }, (_, n) => ({
      lookup_id: `${id}-${n}`,
      rupa_id: 'r'.repeat(64),
      breakdown_kobo,
      grants_consent: false,
    }));
    const made = { partner_id: id, source: 'loan', key_id: 'k', price_book_version: 1, at, actor: 'test' };
    for (let from = 0; from < lookups.length; from += 100)
      await wallets.execute(id, { ...made, kind: 'charge', lookups: lookups.slice(from, from + 100) });
    const isOpen = async (count: number): Promise<boolean> =>
      (await stack.pool.query('select 1 from read.open_charge where partner_id = $1', [id])).rowCount === count;
    await until(() => isOpen(lookups.length));
    await sweeper.sweepStale();
    expect(sweeper.errors()).toStrictEqual([]);
    await until(() => isOpen(0));
  });

  it('with a key is settled if the response is stored, and refunded if no valid lease is left', async () => {
    const [stored, expired, ahead, held] = [await charge('stored'), await charge('expired'), await charge('ahead'), await charge('held')];
    await keyed(stored, '0', 'encrypted');
    await keyed(expired, '-1 second', null);
    // The database's clock was an hour ahead when this lease was taken.
    await keyed(ahead, '1 hour', null);
    await keyed(held, '20 seconds', null);
    await sweeper.sweepStale();
    expect(await closed()).toStrictEqual({ [stored]: 'settled', [expired]: 'refunded', [ahead]: 'refunded' });
    const { rows } = await stack.pool.query<{ lookup_id: string }>(
      'select lookup_id from ops.stored_response where partner_id = $1 and response is null and leased_until > now()',
      [id],
    );
    expect(rows).toStrictEqual([{ lookup_id: held }]);
  });

  it('without a key is left to its instance as long as that exists, and is refunded once it is gone', async () => {
    const owner = startSweeper(wallets, stack.pool);
    await owner.presence.start();
    // An attempt that got no response in time is repeated in the background.
    await until(() => sessionOf(owner));
    const lookup_id = await charge('paused', { instance: owner.instance });
    await sweeper.sweepStale();
    expect(await closed()).toStrictEqual({});
    await owner.presence.stop();
    await until(async () => {
      await sweeper.sweepStale();
      return Object.keys(await closed()).length > 0;
    });
    expect(await closed()).toStrictEqual({ [lookup_id]: 'refunded' });
  });

  it('without a key is closed by its own instance as that remembers it', async () => {
    const made = { instance: sweeper.instance };
    const [pending, sent, abandoned] = [await charge('pending', made), await charge('sent', made), await charge('abandoned', made)];
    const known = new Map<string, ResponseState>([
      [pending, 'pending'],
      [sent, 'sent'],
    ]);
    const remembered = jest.spyOn(sweeper.charges, 'responseOf').mockImplementation((id) => known.get(id) ?? 'abandoned');
    await sweeper.sweepStale();
    remembered.mockRestore();
    expect(await closed()).toStrictEqual({ [sent]: 'settled', [abandoned]: 'refunded' });
  });

  it('of an instance whose session PostgreSQL ended is left to it again once it has a new session', async () => {
    const owner = startSweeper(wallets, stack.pool);
    await owner.presence.start();
    const holder = (): Promise<number | undefined> => sessionOf(owner);
    const before = await until(holder);
    await stack.pool.query('select pg_terminate_backend($1)', [before]);
    await until(async () => {
      const now = await holder();
      return now !== undefined && now !== before;
    });
    await charge('mine', { instance: owner.instance });
    await sweeper.sweepStale();
    expect(await closed()).toStrictEqual({});
    await owner.presence.stop();
  });

  it('is closed although other wallets with open charges cannot be read, and the log names those', async () => {
    const ids = [id, randomUUID(), randomUUID(), randomUUID(), randomUUID()];
    for (const each of ids.slice(1)) {
      id = each;
      await wallets.execute(id, { ...credit, partner_id: id, at, actor: 'test' });
    }
    for (const each of ids) {
      id = each;
      await charge('open');
    }
    const broken = ids.filter((_, index) => index % 2 === 0);
    for (const each of broken) {
      const metadata = { $correlationId: '', $causationId: '', schema_version: 1 };
      const last = await stack.eventStore.lastEvent(`wallet-${each}`);
      const unreadable = [{ id: randomUUID(), type: 'WalletGarbled', data: {}, metadata }];
      await stack.eventStore.append(`wallet-${each}`, unreadable, last?.revision ?? -1n);
    }
    // A new writer has no wallet's state in memory, like the writer of an instance that starts.
    sweeper = startSweeper(new StreamWriter(stack.eventStore, stack.codec, WALLET_STREAMS), stack.pool);
    await sweeper.sweepStale();
    for (const each of ids.filter((candidate) => !broken.includes(candidate))) {
      id = each;
      expect(await closed()).toStrictEqual({ [`${each}-open`]: 'refunded' });
    }
    expect(
      sweeper
        .errors()
        .map(({ partner_id, msg }) => [partner_id, msg])
        .sort(),
    ).toStrictEqual(broken.map((each) => [each, 'open charges of a wallet could not be closed; retrying in 10 s']).sort());
  });
});
