import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type Checkpoint } from '../../src/contexts/evidence/checkpoints/checkpoint-log.js';
import { logLeaf } from '../../src/contexts/evidence/domain/log-leaf.js';
import { leafHash } from '../../src/contexts/evidence/domain/merkle.js';
import { treeHeadText } from '../../src/contexts/evidence/domain/tree-head.js';
import { VerifyWallet } from '../../src/contexts/wallet/public.js';
import { VerifyWalletHandler } from '../../src/contexts/wallet/verifying/verify-wallet.query.js';
import { copyLog } from '../../src/platform/event-sourcing/reading/copy-log.js';
import { type EventStore, NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { chainHash, GENESIS_HASH } from '../../src/platform/event-sourcing/stream-kind.js';
import { logPages } from '../../src/platform/event-sourcing/reading/read-log.js';
import { type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { type CheckpointStack, startCheckpoints } from '../support/checkpoint-stack.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { startStack, type Stack } from '../support/stack.js';
import { treeOf } from '../support/unit/tree.js';
import { CHECKPOINTS_STREAM } from '../../src/contexts/evidence/domain/make-checkpoint.js';
import { openPatiently } from '../support/patient-log.js';

type Rewrite = (event: StoredEvent) => StoredEvent;

/** Lowers the second credit of a wallet by NGN 1, and the balances after it, and computes the hashes of the whole chain again. */
function rewriting(stream: string): Rewrite {
  let head = GENESIS_HASH;
  return (event) => {
    if (event.stream !== stream) return event;
    const { amount_kobo, balance_after_kobo, ...rest } = event.data as { amount_kobo: number; balance_after_kobo: number };
    const [amountLess, balanceLess] = [event.revision === 1n ? 100 : 0, event.revision >= 1n ? 100 : 0];
    const data = { ...rest, amount_kobo: amount_kobo - amountLess, balance_after_kobo: balance_after_kobo - balanceLess };
    head = chainHash(head, stream, event.revision, event.type, data);
    return { ...event, data, metadata: { ...event.metadata, hash: head } };
  };
}

describe('a wallet that was rewritten, with its chain computed again', () => {
  let stack: Stack;
  let checkpoints: CheckpointStack;
  let victim: string;
  let kept: Checkpoint;
  let stores: EventStoreProcess[];
  let logs: EventStore[];

  beforeAll(async () => {
    [stack, stores, logs] = [await startStack(), [], []];
    checkpoints = startCheckpoints(stack);
    [, victim] = [await checkpoints.wallet(100), await checkpoints.wallet(1_000, 2_000, 3_000, 4_000)];
    kept = await checkpoints.maker.make('test');
  });
  afterAll(async () => {
    for (const log of logs) await log.close();
    for (const store of stores) await store.close();
    await stack.close();
  });

  async function emptyLog(): Promise<EventStore> {
    const store = await startEventStoreProcess();
    const log = openPatiently(store.connectionString);
    stores.push(store);
    logs.push(log);
    return log;
  }

  /** Copies the whole log into an empty store, as somebody who has access to it could. */
  async function forge(rewrite: Rewrite): Promise<EventStore> {
    const forged = await emptyLog();
    for await (const page of logPages(stack.eventStore))
      for (const event of page.map(rewrite)) {
        const expected = event.revision === 0n ? NO_EVENTS : event.revision - 1n;
        expect(await forged.append(event.stream, [event], expected)).toMatchObject({ kind: 'appended' });
      }
    return forged;
  }
  const verifyChain = async (log: EventStore) =>
    await new VerifyWalletHandler(log, stack.codec, stack.pool).execute(new VerifyWallet(victim));

  it('passes every check of the chain itself', async () => {
    const forged = await forge(rewriting(`wallet-${victim}`));
    expect(await verifyChain(forged)).toMatchObject({ ok: true, entries: 4 });
    const entry = (await forged.readStream(`wallet-${victim}`, { from: 1n, maxCount: 1 }))[0];
    expect(entry?.data).toMatchObject({ amount_kobo: 1_900, balance_after_kobo: 2_900 });

    // The same log, against the note that was kept.
    expect(await checkpoints.verify({ note: kept.note }, forged)).toMatchObject({
      ok: false,
      faults: [{ partner_id: null, message: `The first ${kept.tree_size} events of the log are not those that the note covers.` }],
    });
  });

  it('gets no further checkpoint', async () => {
    const forged = await forge(rewriting(`wallet-${victim}`));
    await expect(checkpoints.fresh(forged).maker.make('test')).rejects.toMatchObject({
      code: 'checkpoint_contradicted',
      facts: { number: kept.number, tree_size: kept.tree_size },
    });
  });

  it('is found although the checkpoint in the log was made again, because its root is not the one of the note', async () => {
    const rewrite = rewriting(`wallet-${victim}`);
    const signer = await checkpoints.keys.signer('forger');
    const leaves: Buffer[] = [];
    const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
    const forged = await forge((event) => {
      const changed = rewrite(event);
      if (event.stream !== CHECKPOINTS_STREAM) {
        leaves.push(leafHash(logLeaf({ ...changed, data: bytes(changed.data), metadata: bytes(changed.metadata) })));
        return changed;
      }
      const root = treeOf(leaves).root.toString('base64');
      const note = signer.sign(treeHeadText({ origin: signer.name, tree_size: kept.tree_size, root }));
      return { ...event, data: { ...event.data, root, note } };
    });
    // The forged log agrees with itself: only the note that was kept outside gives it away.
    expect(await checkpoints.verify({}, forged)).toMatchObject({ ok: true, wallets: 2 });
    expect(await checkpoints.verify({ note: kept.note }, forged)).toMatchObject({ ok: false, faults: [{ partner_id: null }] });
  });

  it('is found although the checkpoint and the events before it were removed from the log', async () => {
    const forged = await emptyLog();
    expect(await checkpoints.verify({ note: kept.note, keys: await checkpoints.keys.verifierKeys() }, forged)).toMatchObject({
      ok: false,
      faults: [{ partner_id: null, message: `The log has 0 events, and the note covers ${kept.tree_size}.` }],
    });
  });

  it('is told apart from an honest copy of the log', async () => {
    const copy = await emptyLog();
    await copyLog(stack.eventStore, copy, undefined, () => undefined, new AbortController().signal);
    expect(await checkpoints.verify({ note: kept.note }, copy)).toMatchObject({ ok: true, wallets: 2, faults: [] });
  });

  it('is told apart from an honest copy with bytes that another serializer wrote, whose next checkpoint extends the last one', async () => {
    const [data, metadata] = [Buffer.from('{ "b":1.0, "a":1e3, "a":2 }'), Buffer.of(0xff)];
    await stack.eventStore.appendExactly('elsewhere-1', [{ id: randomUUID(), type: 'Noted', data, metadata }], NO_EVENTS);
    const last = await checkpoints.maker.make('test');
    expect(last.tree_size).toBeGreaterThan(kept.tree_size);
    const copy = await emptyLog();
    await copyLog(stack.eventStore, copy, undefined, () => undefined, new AbortController().signal);
    await copy.appendExactly('elsewhere-1', [{ id: randomUUID(), type: 'Noted', data, metadata }], 0n);
    const next = await checkpoints.fresh(copy).maker.make('test');
    expect(next).toMatchObject({ number: last.number + 1, tree_size: last.tree_size + 2 });
    expect(await checkpoints.verify({ note: last.note }, copy)).toMatchObject({ ok: true, faults: [] });
  });
});
