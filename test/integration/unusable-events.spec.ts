import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { randomUUID } from 'node:crypto';
import { projections } from '../../projections/index.js';
import { eventStreams } from '../../src/stores/event-streams.js';
import { VerifyWallet, VerifyWalletHandler } from '../../src/contexts/wallet/verifying/verify-wallet.query.js';
import { NotificationSubscriber } from '../../src/contexts/webhooks/notifying/notification-subscriber.js';
import { EventSetAside } from '../../src/platform/event-sourcing/coding/unusable-event.js';
import { type NewEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { rebuild } from '../../src/platform/projecting/rebuilding/rebuild.js';
import { verify } from '../../src/platform/projecting/rebuilding/verify.js';
import { type UnusableRow, unusableEvents } from '../../src/platform/unusable-events/unusable-table.js';
import { startStack, type Stack } from '../support/stack.js';
import { until } from '../support/until.js';
import { OPERATIONS_ID, OPERATIONS_STREAMS } from '../../src/platform/unusable-events/domain/skip-event.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { StreamWriter, type WriterOf } from '../../src/platform/event-sourcing/writing/stream-writer.js';
import { ALL_SEARCHED } from '../support/unit/searched-entries.js';

const RUNS = 150;
const CATEGORIES = [...new Set(Object.values(eventStreams).map(({ category }) => category))];
const TYPES = Object.keys(eventStreams);

const anyValue = fc.jsonValue({ maxDepth: 2 });
const anyData = fc.oneof(
  anyValue,
  fc.record(
    {
      partner_id: fc.constantFrom('p-1', 'p-2', 7),
      rupa_id: fc.constantFrom('rp-1', null, ''),
      key_id: anyValue,
      recorded_at: fc.oneof(fc.constant('2026-11-21T10:00:00.000Z'), anyValue),
      actor: fc.oneof(fc.constant('a'), anyValue),
      content: fc.oneof(fc.constant('v1:AAAA'), anyValue),
      amount_kobo: anyValue,
      balance_after_kobo: fc.oneof(fc.constant(500_000), anyValue),
      breakdown_kobo: anyValue,
      fees: anyValue,
      fees_kobo: anyValue,
      version: fc.oneof(fc.constant(2), anyValue),
    },
    { requiredKeys: [] },
  ),
);
const anyMetadata = fc.oneof(
  fc.constant({ $correlationId: 'c', schema_version: 1 }),
  fc.record({ schema_version: fc.oneof(fc.constant(99), anyValue), $correlationId: anyValue, hash: anyValue, traceparent: anyValue }),
  anyValue,
);
const anyEvent = fc.record({
  stream: fc.oneof(
    fc.constantFrom('scratch-1', 'scratch', '-', 'x-y-z'),
    fc.constantFrom(...CATEGORIES.flatMap((category) => [`${category}-main`, `${category}-p-1`, `${category}-rp-1`, category])),
  ),
  type: fc.oneof(fc.constant('OperatorNote'), fc.constantFrom(...TYPES)),
  data: anyData,
  metadata: anyMetadata,
});

describe('events that nobody here wrote', () => {
  let stack: Stack;
  let subscribed: Promise<unknown>;
  const stopping = new AbortController();
  const faults: string[] = [];

  beforeAll(async () => {
    stack = await startStack();
    const running = stack.project(projections, { onFault: (name, reason) => faults.push(`${name}: ${reason}`) });
    await running.prepared;
    running.ended.then((reason) => faults.push(`the projector ended: ${String(reason)}`)).catch(() => undefined);
    subscribed = new NotificationSubscriber(stack.pool, stack.eventStore, stack.codec, stack.parts.macs)
      .run(stopping.signal)
      .catch((error: unknown) => {
        faults.push(`the subscriber ended: ${String(error)}`);
      });
  });
  afterAll(async () => {
    stopping.abort();
    await subscribed;
    await stack.close();
  });

  async function append(stream: string, type: string, data: unknown, metadata: unknown): Promise<bigint> {
    const last = await stack.eventStore.lastEvent(stream);
    const event = { id: randomUUID(), type, data, metadata } as NewEvent;
    const result = await stack.eventStore.append(stream, [event], last?.revision ?? -1n);
    if (result.kind !== 'appended') throw new Error(`${stream} was written by another writer.`);
    return result.position;
  }

  async function caughtUp(): Promise<void> {
    const head = String(await stack.eventStore.headPosition());
    await until(async () => {
      expect(faults).toStrictEqual([]);
      const { rowCount } = await stack.pool.query('select from ops.checkpoint where position = $1 and fault is null', [head]);
      return rowCount === projections.length + 1;
    });
  }

  const wallets = (): WriterOf<typeof WALLET_STREAMS> => new StreamWriter(stack.eventStore, stack.codec, WALLET_STREAMS);
  const credit = (partner_id: string, amount_kobo: number, reference: string) =>
    wallets().execute(partner_id, {
      kind: 'credit',
      partner_id,
      amount_kobo,
      credit_kind: 'payment',
      reference,
      ...ALL_SEARCHED,
      at: new Date().toISOString(),
      actor: 'test',
    });
  const skip = ({ event_id, stream, revision, position }: UnusableRow) =>
    new StreamWriter(stack.eventStore, stack.codec, OPERATIONS_STREAMS).execute(OPERATIONS_ID, {
      event_id,
      stream,
      revision,
      position,
      reason: 'a test wrote it',
      at: '2026-11-21T10:00:00.000Z',
      actor: 'test',
    });

  it('stop no read model and no notification, whatever they are and wherever they are appended', async () => {
    const sampled = fc.sample(anyEvent, { numRuns: RUNS });
    for (const { stream, type, data, metadata } of sampled) await append(stream, type, data, metadata);
    await caughtUp();
    // Everybody else's wallet goes on.
    expect((await credit('others', 100, 'r-1')).state.balance_kobo).toBe(100);
    await caughtUp();
    const { rows } = await stack.pool.query<{ balance: number }>(
      "select balance_after_kobo::float8 as balance from read.wallet_entry where partner_id = 'others'",
    );
    expect(rows).toStrictEqual([{ balance: 100 }]);
    const named = await unusableEvents(stack.pool);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter(({ category }) => !CATEGORIES.includes(category))).toStrictEqual([]);
  });

  it('leave the same read models behind when these are rebuilt', async () => {
    await caughtUp();
    const before = await unusableEvents(stack.pool);
    await stack.pool.query('delete from ops.unusable_event');
    const parts = { ...stack.parts, codec: stack.freshCodec() };
    expect((await verify(parts, projections, 'read')).filter(({ differing }) => differing > 0)).toStrictEqual([]);
    expect(await unusableEvents(stack.pool)).toStrictEqual(before);
    await rebuild(parts, projections, 'read');
  });

  it('are not built upon in a wallet, until an operator skips them; then the chain goes on from the last genuine entry', async () => {
    const verification = () => new VerifyWalletHandler(stack.eventStore, stack.codec, stack.pool).execute(new VerifyWallet('robbed'));
    const first = await credit('robbed', 1_000, 'r-1');
    const [genuine] = await stack.eventStore.readStream('wallet-robbed');
    const forged = { ...genuine?.data, amount_kobo: 9_000_000, balance_after_kobo: 9_001_000, reference: 'forged' };
    const position = await append('wallet-robbed', 'WalletCredited', forged, { $correlationId: 'c', schema_version: 1 });
    await expect(credit('robbed', 1, 'r-2')).rejects.toThrow(EventSetAside);
    await expect(wallets().load('robbed')).rejects.toThrow(`position ${position} of the log (category wallet)`);
    await caughtUp();
    const row = (await unusableEvents(stack.pool)).find((each) => each.position === position.toString());
    expect(row).toMatchObject({ stream: 'wallet-robbed', revision: 1, reason: 'it has no hash, which every event of its stream has' });
    expect(await verification()).toMatchObject({ ok: false, entries: 1, fault: { revision: 1, rule: 'hash' } });
    if (row) await skip(row);
    const second = await credit('robbed', 1, 'r-2');
    expect(second.state.balance_kobo).toBe(first.state.balance_kobo + 1);
    expect(await verification()).toMatchObject({ ok: true, entries: 2, skipped: [1], fault: null });
    await caughtUp();
    expect((await unusableEvents(stack.pool)).some((each) => each.position === position.toString())).toBe(false);
    expect((await stack.pool.query("select from ops.set_aside where stream = 'wallet-robbed'")).rowCount).toBe(0);
  });

  it.each([null, 1, 'text', [], { price_book_version: null }, { price_book_version: {} }])(
    'are a fault of a wallet if their data is %j',
    async (data) => {
      // A debit is verified by the prices, which events before may have made unusable.
      for (const row of await unusableEvents(stack.pool)) if (row.category.startsWith('price')) await skip(row);
      for (const type of ['WalletCredited', 'WalletDebited']) {
        const partner = `odd-${randomUUID()}`;
        await append(`wallet-${partner}`, type, data, { $correlationId: 'c', schema_version: 2 });
        const verified = await new VerifyWalletHandler(stack.eventStore, stack.codec, stack.pool).execute(new VerifyWallet(partner));
        expect(verified).toMatchObject({ ok: false, entries: 0, fault: { revision: 0 } });
      }
    },
  );

  it('are skipped even if the stream of decisions holds one of them', async () => {
    await append('operations-main', 'OperatorNote', { a: 1 }, null);
    await caughtUp();
    for (const row of await unusableEvents(stack.pool)) await skip(row);
    await caughtUp();
    expect(await unusableEvents(stack.pool)).toStrictEqual([]);
  });
});
