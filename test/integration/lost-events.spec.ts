import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type CheckpointStores } from '../../src/contexts/evidence/checkpoints/checkpoint-parts.js';
import { adoptAfter, lossIn } from '../../src/contexts/evidence/checkpoints/find-loss.js';
import { type Checkpoint } from '../../src/contexts/evidence/checkpoints/checkpoint-log.js';
import { type CheckpointParts } from '../../src/contexts/evidence/checkpoints/checkpoint-parts.js';
import { openNote, parseVerifierKey } from '../../src/contexts/evidence/domain/signed-note.js';
import { witnessesOf } from '../../src/contexts/evidence/witnesses/witness.js';
import { checkLostEvents } from '../../src/operations/doctor/check-stored-data.js';
import { lostEventReasons } from '../../src/operations/health/readiness-reasons.js';
import { type EventStore, NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { logPages } from '../../src/platform/event-sourcing/reading/read-log.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { type CheckpointStack, startCheckpoints } from '../support/checkpoint-stack.js';
import { MASTER_KEY } from '../support/row-macs.js';
import { startStack, type Stack } from '../support/stack.js';
import { until } from '../support/until.js';
import { startWitness, type TestWitness } from '../support/witness.js';

const BY = { reason: 'The disk of the event store failed.', actor: 'cli' };

/** The log of `former` is restored to the state at the first checkpoint, into another event store. The database is the former one. */
describe('a log that was restored to an earlier state', () => {
  let former: Stack;
  let restored: Stack;
  let witness: TestWitness;
  let before: CheckpointStack;
  let after: CheckpointParts;
  let last: Checkpoint;
  let shared: number;

  const append = async (log: EventStore): Promise<void> => {
    const metadata = { $correlationId: 'test', schema_version: 1 };
    await log.append(`stranger-${randomUUID()}`, [{ id: randomUUID(), type: 'Happened', data: {}, metadata }], NO_EVENTS);
  };
  const stores = (): CheckpointStores => ({ ...former, eventStore: restored.eventStore, secrets: before.secrets });
  const reasons = (): Promise<string[]> => lostEventReasons(former.pool, restored.eventStore, () => former.masterKeys)();
  const restart = (): CheckpointParts => before.fresh(restored.eventStore);
  const opens = (note: string, key = ''): boolean =>
    openNote(
      note,
      [parseVerifierKey(key)].flatMap((parsed) => parsed ?? []),
    ) !== undefined;
  const cosigned = async (parts: CheckpointParts, checkpoint: Checkpoint): Promise<void> => {
    const rounds = parts.witnessRounds({ onCosigned: () => undefined, onAway: () => undefined });
    await rounds.begin();
    await until(async () => (await parts.cosignatures.of(checkpoint)).length === 1);
    await rounds.end();
  };

  beforeAll(async () => {
    [former, restored] = await Promise.all([startStack(), startStack()]);
    witness = await startWitness(async () => [
      ...new Set([...(await before.keys.verifierKeys()), ...(await restart().keys.verifierKeys())]),
    ]);
    const witnesses = witnessesOf([{ name: 'amina', key: witness.key, url: witness.url }]);
    before = startCheckpoints(former, new SystemClock(), 'rupa.example/log', witnesses);
    await before.wallet(100, 200);
    const first = await before.maker.make('test');
    for await (const page of logPages(former.eventStore))
      for (const event of page) {
        if (event.stream.startsWith('checkpoints-')) continue;
        const expected = event.revision === 0n ? NO_EVENTS : event.revision - 1n;
        await restored.eventStore.append(event.stream, [event], expected);
      }
    shared = first.tree_size;
    for (let events = 0; events < 5; events += 1) await append(former.eventStore);
    last = await before.maker.make('test');
    await cosigned(before, last);
    await append(restored.eventStore);
    after = restart();
  });
  afterAll(async () => {
    await Promise.all([former.close(), restored.close(), witness.close()]);
  });

  it('lacks a known number of events, as long as the tiles are those of the former log', async () => {
    expect(await lossIn(stores())).toMatchObject({ note: { note: last.note }, lost_events: last.tree_size - shared });
  });

  it('is signed no more, while its tiles go on', async () => {
    const refused = { code: 'checkpoint_contradicted', facts: { number: last.number, tree_size: last.tree_size } };
    await expect(after.maker.make('test')).rejects.toMatchObject(refused);
    await after.maker.follow(new AbortController().signal);
    expect(after.maker.treeSize).toBe(shared + 1);
    for (let events = 0; events < 8; events += 1) await append(restored.eventStore);
    // It has as many events as the checkpoint by now, and others.
    for (const { maker } of [after, restart()]) await expect(maker.make('test')).rejects.toMatchObject(refused);
    await expect(after.log.last()).resolves.toBeUndefined();
  });

  it('is named by health and doctor, with what to do', async () => {
    const sentence = `The log lacks events that checkpoint ${last.number} (of ${last.tree_size} events) covers`;
    expect(await reasons()).toStrictEqual([expect.stringMatching(/^The log lacks.*rupa events adopt\.$/)]);
    expect((await reasons())[0]).toContain(sentence);
    expect(await checkLostEvents(former.pool, restored.eventStore, MASTER_KEY)).toMatchObject([{ status: 'failure' }]);
    expect(await lostEventReasons(restored.pool, former.eventStore, () => restored.masterKeys)()).toStrictEqual([]);
  });

  it('has lost nothing as far as the database knows, if that was restored, too, but a note that was kept shows it', async () => {
    const alone = { ...restored, secrets: startCheckpoints(restored).secrets };
    expect(await lossIn(alone)).toBeUndefined();
    expect(await lossIn(alone, last.note)).toMatchObject({ note: { note: last.note }, lost_events: null });
    await expect(lossIn(alone, 'no note')).rejects.toThrow('None of the keys');
    expect(await lossIn({ ...former, secrets: before.secrets })).toBeUndefined();
  });

  it('is continued as a new log, of which it records the former one’s last note', async () => {
    const loss = await lossIn(stores());
    expect(loss).toMatchObject({ note: { note: last.note } });
    if (!loss) return;
    for (let times = 0; times < 2; times += 1) expect(await adoptAfter(loss, stores(), BY)).toBe('rupa.example/log/2');
    const adoptions = await after.log.adoptions();
    const [oldKey] = await before.keys.verifierKeys();
    expect(adoptions).toMatchObject([{ ...BY, origin: 'rupa.example/log/2', former_note: last.note, former_key: oldKey }]);
    expect(restored.codec.sort((await restored.eventStore.allPage({ maxCount: 500 })).events).unusable).toStrictEqual([]);
    await expect(lossIn(stores())).resolves.toBeUndefined();
  });

  it('is signed again with a new origin and a new key, beside which the former one stays published', async () => {
    const made = await after.maker.make('test');
    const [oldKey, newKey, ...more] = await after.keys.verifierKeys();
    expect(more).toStrictEqual([]);
    expect(made.note).toMatch(/^rupa\.example\/log\/2\n/);
    expect([opens(made.note, oldKey), opens(made.note, newKey), opens(last.note, oldKey)]).toStrictEqual([false, true, true]);
    expect(await after.log.last()).toMatchObject({ note: made.note });
    expect(await reasons()).toStrictEqual([]);
    expect(await before.secrets.get('checkpoint-key/1/seed')).toBeUndefined();
    await append(restored.eventStore);
    const next = await restart().maker.make('test');
    expect(next.tree_size).toBeGreaterThan(made.tree_size);
    await cosigned(restart(), next);
    expect(witness.cosigned.get('rupa.example/log/2')?.size).toBe(next.tree_size);
    expect(await lossIn(stores())).toBeUndefined();
  });
});
