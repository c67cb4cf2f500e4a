import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projections } from '../../projections/index.js';
import { type Checkpoint } from '../../src/contexts/evidence/checkpoints/checkpoint-log.js';
import { leafHash, rootOf } from '../../src/contexts/evidence/domain/merkle.js';
import { treeHeadText } from '../../src/contexts/evidence/domain/tree-head.js';
import { VerifyWallet } from '../../src/contexts/wallet/public.js';
import { VerifyWalletHandler } from '../../src/contexts/wallet/verifying/verify-wallet.query.js';
import { copyLog } from '../../src/platform/event-sourcing/reading/copy-log.js';
import { EventStore, NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { chainHash, GENESIS_HASH } from '../../src/platform/event-sourcing/hash-chain.js';
import { logPages } from '../../src/platform/event-sourcing/reading/read-log.js';
import { type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { type CheckpointStack, startCheckpoints } from '../support/checkpoint-stack.js';
import { type EventStoreProcess, startEventStoreProcess } from '../support/event-store-process.js';
import { startStack, type Stack } from '../support/stack.js';
import { CHECKPOINTS_STREAM, leavesStreamOf } from '../../src/contexts/evidence/domain/make-checkpoint.js';

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
    await stack.project(projections).prepared;
    checkpoints = await startCheckpoints(stack);
    [, victim] = [await checkpoints.wallet(100), await checkpoints.wallet(1_000, 2_000, 3_000, 4_000)];
    kept = await checkpoints.maker.make('test');
  });
  afterAll(async () => {
    for (const log of logs) await log.close();
    for (const store of stores) await store.close();
    await checkpoints.close();
    await stack.close();
  });

  async function emptyLog(): Promise<EventStore> {
    const store = await startEventStoreProcess();
    const log = new EventStore(store.connectionString);
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
    const { ok, faults } = await checkpoints.verify({ note: kept.note }, forged);
    expect(ok).toBe(false);
    expect(faults).toStrictEqual([{ partner_id: victim, message: expect.stringMatching(/^At revision 3 \(since\): /) }]);
  });

  it('is found although the checkpoint in the log was made again, because its root is not the one of the note', async () => {
    const rewrite = rewriting(`wallet-${victim}`);
    const signer = await checkpoints.keys.signer('forger');
    let head = '';
    let leaves: string[] = [];
    const forged = await forge((event) => {
      const changed = rewrite(event);
      if (event.stream === `wallet-${victim}`) head = `live\n${victim}\n${event.revision}\n${changed.metadata.hash ?? ''}`;
      if (event.stream === leavesStreamOf(kept.leaves_id) && event.type === 'CheckpointPageRecorded') {
        leaves = (event.data.leaves as string[]).map((leaf) => (leaf.includes(victim) ? head : leaf));
        return { ...event, data: { ...event.data, leaves } };
      }
      if (event.stream !== CHECKPOINTS_STREAM) return changed;
      const root = rootOf(leaves.map(leafHash)).toString('base64');
      const { tree_size, number, recorded_at: made_at } = kept;
      return {
        ...event,
        data: { ...event.data, root, note: signer.sign(treeHeadText({ origin: signer.name, tree_size, root, number, made_at })) },
      };
    });
    // The forged log agrees with itself: only the note that was kept outside gives it away.
    expect(await checkpoints.verify({}, forged)).toMatchObject({ ok: true, wallets: 2 });
    expect(await checkpoints.verify({ note: kept.note }, forged)).toMatchObject({
      ok: false,
      faults: [{ partner_id: null, message: 'The log holds other heads for checkpoint 1 than the note covers.' }],
    });
  });

  it('is found although the checkpoint was removed from the log', async () => {
    const forged = await emptyLog();
    expect(await checkpoints.verify({ note: kept.note, keys: await checkpoints.keys.verifierKeys() }, forged)).toMatchObject({
      ok: false,
      faults: [{ partner_id: null, message: 'The log holds no checkpoint 1.' }],
    });
  });

  it('is told apart from an honest copy of the log', async () => {
    const copy = await emptyLog();
    await copyLog(stack.eventStore, copy, undefined, () => undefined, new AbortController().signal);
    expect(await checkpoints.verify({ note: kept.note }, copy)).toMatchObject({ ok: true, wallets: 2, faults: [] });
  });
});
