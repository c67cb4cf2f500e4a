import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { errorResponses } from '../../src/app/registered-errors.js';
import { checkCheckpoints } from '../../src/operations/doctor/check-stored-data.js';
import { StoreState } from '../../src/operations/metrics/store-state.js';
import { StoreStateMetrics } from '../../src/operations/metrics/store-state-metrics.js';
import { CHECKPOINTS_STREAM, KEYS_STREAM } from '../../src/contexts/evidence/domain/make-checkpoint.js';
import { openNote, parseVerifierKey } from '../../src/contexts/evidence/domain/signed-note.js';
import { NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { Metrics } from '../../src/platform/metrics/metrics.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { type CheckpointStack, startCheckpoints } from '../support/checkpoint-stack.js';
import { startStack, type Stack } from '../support/stack.js';
import { until } from '../support/until.js';

const HOUR_MS = 3_600_000;
const EVERY = 3_600;

class SetClock extends SystemClock {
  at = new Date();

  override now(): Date {
    return this.at;
  }
}

describe('a checkpoint', () => {
  let stack: Stack;
  let checkpoints: CheckpointStack;
  const clock = new SetClock();
  const { signal } = new AbortController();

  beforeAll(async () => {
    stack = await startStack();
    checkpoints = startCheckpoints(stack, clock);
  });
  afterAll(async () => {
    await stack.close();
  });

  /** Appends an event that is no checkpoint. */
  const append = async (): Promise<void> => {
    const metadata = { $correlationId: 'test', schema_version: 1 };
    await stack.eventStore.append(`stranger-${randomUUID()}`, [{ id: randomUUID(), type: 'Happened', data: {}, metadata }], NO_EVENTS);
  };
  const due = async () => {
    await checkpoints.maker.follow(signal);
    return await checkpoints.maker.makeIfDue('service', EVERY);
  };

  it('is not due while nothing but its key was appended', async () => {
    await checkpoints.keys.signer('service');
    clock.at = new Date(Date.now() + 2 * HOUR_MS);
    expect(await due()).toBeUndefined();
    clock.at = new Date();
  });

  it('covers every event of the log, also those of strangers, and itself only from the next one on', async () => {
    await append();
    const made = await checkpoints.maker.make('test');
    expect(made).toMatchObject({ number: 1, tree_size: 2, actor: 'test' });
    expect(made.note.split('\n').slice(0, 4)).toStrictEqual(['rupa.example/log', '2', made.root, '']);
    await checkpoints.wallet(100);
    expect(await checkpoints.maker.make('test')).toMatchObject({ number: 2, tree_size: 5 });
    expect(await checkpoints.verify()).toMatchObject({ ok: true, origin: 'rupa.example/log', tree_size: 5, wallets: 1 });
    expect(await checkpoints.verify({ note: made.note })).toMatchObject({ ok: true, tree_size: 2, wallets: 0 });
  });

  it('is due once an interval, and only if something else was appended', async () => {
    expect(await due()).toBeUndefined();
    clock.at = new Date(Date.now() + HOUR_MS);
    expect(await due()).toBeUndefined();
    await append();
    const made = await Promise.all([due(), checkpoints.maker.makeIfDue('service', EVERY)]);
    expect(made.flatMap((each) => each?.number ?? [])).toStrictEqual([3]);
    expect(await due()).toBeUndefined();
  });

  it('is the last one again where nothing was appended after it', async () => {
    const last = await checkpoints.log.last();
    expect(await checkpoints.maker.make('test')).toStrictEqual({ ...last, isNew: false });
    expect((await stack.eventStore.readStream(CHECKPOINTS_STREAM)).length).toBe(3);
  });

  it('is never dated before the last one', async () => {
    const last = await checkpoints.log.last();
    clock.at = new Date(clock.at.getTime() - 2 * HOUR_MS);
    await append();
    expect((await checkpoints.maker.make('test')).recorded_at).toBe(last?.recorded_at);
  });

  it('is made one after another when several processes make one at once', async () => {
    const before = (await checkpoints.log.last())?.number ?? 0;
    const makers = [checkpoints, checkpoints.fresh(), checkpoints.fresh()].map(({ maker }) => maker);
    const made = await Promise.all(
      makers.map(async (maker, index) => {
        await append();
        return await maker.make(`process ${index}`);
      }),
    );
    const numbers = made.map(({ number }) => number);
    expect(Math.min(...numbers)).toBe(before + 1);
    // A process whose event an earlier checkpoint covers gets that one.
    expect(Math.max(...numbers)).toBe((await checkpoints.log.last())?.number);
    expect((await checkpoints.log.list(2, before + 2)).map(({ number }) => number)).toStrictEqual([before + 1, before]);
    expect(await checkpoints.verify()).toMatchObject({ ok: true });
  });

  it('that is overdue is shown by a metric and by the doctor', async () => {
    await append();
    clock.at = new Date();
    const last = await checkpoints.log.last();
    const overdue = async (every: number): Promise<number> => {
      const metrics = new Metrics();
      const state = new StoreState(stack.pool, stack.eventStore, new StoreStateMetrics(metrics.registry), every);
      // The metric has no value if a store does not respond in time.
      const { value } = await until(async () => {
        await state.refresh();
        const found = (await metrics.collect()).find(({ name }) => name === 'rupa_checkpoint_overdue_seconds')?.values;
        return found?.[0] as { value: number } | undefined;
      });
      return value;
    };
    expect(await overdue(30 * 86_400)).toBe(0);
    const examined = (now: number) => checkCheckpoints(stack.eventStore, EVERY, () => now);
    const signedAt = Date.parse(last?.recorded_at ?? '');
    expect(await examined(signedAt + 3 * HOUR_MS)).toMatchObject({
      status: 'warning',
      found: expect.stringMatching(/^one has been due for \d+ minutes$/),
    });
    expect(await examined(signedAt)).toMatchObject({ status: 'ok', found: `the last one was made at ${last?.recorded_at ?? ''}` });
    await checkpoints.maker.make('test');
    expect(await examined(signedAt + 3 * HOUR_MS)).toMatchObject({ status: 'ok' });
    expect(await overdue(1)).toBe(0);
  });

  it('is signed with a new key of the same origin after a rotation, and the former key stays published', async () => {
    await append();
    const before = await checkpoints.maker.make('test');
    // The public address has changed; the log is the same one.
    const rotated = await startCheckpoints(stack, clock, 'moved.example/log').keys.rotate('test');
    expect(rotated.name).toBe('rupa.example/log');
    const [first = '', second = ''] = await checkpoints.keys.verifierKeys();
    expect(second).toBe(rotated.verifierKey);
    await append();
    const after = await checkpoints.maker.make('test');
    const opens = (note: string, key: string) =>
      openNote(
        note,
        [parseVerifierKey(key)].flatMap((parsed) => parsed ?? []),
      ) !== undefined;
    expect([opens(before.note, first), opens(before.note, second)]).toStrictEqual([true, false]);
    expect([opens(after.note, first), opens(after.note, second)]).toStrictEqual([false, true]);
    expect(await checkpoints.secrets.get('checkpoint-key/1/seed')).toBeUndefined();
    expect(await checkpoints.verify({ note: before.note })).toMatchObject({ ok: true });
    expect(await checkpoints.verify({ note: before.note, keys: [second] })).toMatchObject({
      ok: false,
      tree_size: null,
      faults: [{ partner_id: null, message: 'None of the keys signed this text as a checkpoint.' }],
    });
  });

  it('is not made when the key store has lost the key', async () => {
    const { rows } = await stack.pool.query<{ name: string }>(
      "delete from key_store.secret where name like 'checkpoint-key/%' returning name",
    );
    expect(rows).toHaveLength(1);
    // An older key store holds a private key that was destroyed since.
    await checkpoints.secrets.add('checkpoint-key/1/seed', randomBytes(32));
    await append();
    const refused: unknown = await checkpoints.maker.make('test').catch((error: unknown) => error);
    expect(refused).toMatchObject({ message: expect.stringMatching(/^The key store does not hold key 2/) });
    expect(errorResponses.to(refused)).toMatchObject({ code: 'conflict', message: expect.stringContaining('rupa keys rotate-checkpoint') });
    await checkpoints.keys.rotate('test');
    await expect(checkpoints.maker.make('test')).resolves.toBeDefined();
    expect(await checkpoints.secrets.get('checkpoint-key/1/seed')).toBeUndefined();
  });

  it('is compared with that of the largest tree, also after somebody has added an earlier one again', async () => {
    const [last, first] = [await checkpoints.log.last(), await checkpoints.log.get(1)];
    const number = (last?.number ?? 0) + 1;
    const metadata = { $correlationId: 'test', schema_version: 1 };
    const again = { id: randomUUID(), type: 'CheckpointSigned', data: { ...first, number, recorded_at: last?.recorded_at }, metadata };
    await stack.eventStore.append(CHECKPOINTS_STREAM, [again], BigInt(number - 2));
    for (const { log } of [checkpoints, checkpoints.fresh()]) expect(await log.last()).toStrictEqual(last);
    await append();
    const made = await checkpoints.maker.make('test');
    expect(made).toMatchObject({ number: number + 1, isNew: true });
    expect(await checkpoints.log.last()).toMatchObject({ number: number + 1, root: made.root });
  });

  it('is refused when the events that the last one covers lead to another root, whatever the tiles say', async () => {
    const last = await checkpoints.log.last();
    const { number = 0, tree_size = 0 } = last ?? {};
    const forged = { ...last, number: number + 1, root: Buffer.alloc(32).toString('base64') };
    const metadata = { $correlationId: 'test', schema_version: 1 };
    await stack.eventStore.append(
      CHECKPOINTS_STREAM,
      [{ id: randomUUID(), type: 'CheckpointSigned', data: forged, metadata }],
      BigInt(number - 1),
    );
    const facts = { number: number + 1, tree_size };
    await expect(checkpoints.maker.make('test')).rejects.toMatchObject({ code: 'checkpoint_contradicted', facts });
    await expect(checkpoints.fresh().maker.make('test')).rejects.toMatchObject({ code: 'checkpoint_contradicted', facts });
    const beyond = { ...last, number: number + 2, tree_size: tree_size + 1_000 };
    await stack.eventStore.append(
      CHECKPOINTS_STREAM,
      [{ id: randomUUID(), type: 'CheckpointSigned', data: beyond, metadata }],
      BigInt(number),
    );
    await expect(checkpoints.maker.make('test')).rejects.toMatchObject({ code: 'checkpoint_contradicted' });
    expect((await checkpoints.log.last())?.number).toBe(number + 2);
    // The tiles go on, because they are what the log says.
    await checkpoints.maker.follow(signal);
  });
});

describe('a log with checkpoints over heads of wallets', () => {
  let stack: Stack;
  let checkpoints: CheckpointStack;

  beforeAll(async () => {
    stack = await startStack();
    checkpoints = startCheckpoints(stack);
    const metadata = { $correlationId: 'test', schema_version: 1 };
    const recorded_at = '2026-01-01T00:00:00.000Z';
    const former = startCheckpoints(stack, new SystemClock(), 'rupa.example/wallets');
    await former.keys.rotate('former');
    const made = (number: number) => ({
      number,
      tree_size: 0,
      root: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
      note: 'n',
      leaves_id: 'l',
      recorded_at,
      actor: 'x',
    });
    const events = [1, 2].map((number) => ({ id: randomUUID(), type: 'CheckpointMade', data: made(number), metadata }));
    await stack.eventStore.append(CHECKPOINTS_STREAM, events, NO_EVENTS);
    const pages = [
      { type: 'CheckpointPageRecorded', data: { page: 0, leaves: [], recorded_at } },
      { type: 'CheckpointPagesIndexed', data: { pages: [], recorded_at } },
    ];
    await stack.eventStore.append(
      'checkpoint_leaves-l',
      pages.map((event) => ({ ...event, id: randomUUID(), metadata })),
      NO_EVENTS,
    );
  });
  afterAll(async () => {
    await stack.close();
  });

  it('lists none of them, and continues their numbers', async () => {
    expect(await checkpoints.log.last()).toBeUndefined();
    expect(await checkpoints.log.list(10)).toStrictEqual([]);
    await expect(checkpoints.log.get(2)).rejects.toMatchObject({ code: 'checkpoint_unknown' });
    expect(await checkpoints.maker.make('test')).toMatchObject({ number: 3, tree_size: 6 });
    expect((await checkpoints.log.list(10)).map(({ number }) => number)).toStrictEqual([3]);
    await expect(checkpoints.log.get(3)).resolves.toMatchObject({ tree_size: 6 });
    expect(await checkpoints.verify()).toMatchObject({ ok: true, wallets: 0 });
  });

  it('gets a key whose name is the origin of the log', async () => {
    const names = (await checkpoints.keys.verifierKeys()).map((key) => parseVerifierKey(key)?.name);
    expect(names).toStrictEqual(['rupa.example/wallets', 'rupa.example/log']);
    expect(await stack.eventStore.readStream(KEYS_STREAM)).toHaveLength(2);
  });

  it('has events that every release can read', async () => {
    const events = (await stack.eventStore.allPage()).events;
    expect(stack.codec.sort(events)).toMatchObject({ unusable: [], foreign: 0 });
  });
});
