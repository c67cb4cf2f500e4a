import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { type Checkpoint } from '../../src/contexts/evidence/checkpoints/checkpoint-log.js';
import { type Witness, witnessesOf } from '../../src/contexts/evidence/witnesses/witness.js';
import { type WitnessRounds } from '../../src/contexts/evidence/witnesses/witness-rounds.js';
import { NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { SystemClock } from '../../src/platform/system-clock.js';
import { type CheckpointStack, startCheckpoints } from '../support/checkpoint-stack.js';
import { startStack, type Stack } from '../support/stack.js';
import { until } from '../support/until.js';
import { startWitness, type TestWitness } from '../support/witness.js';

const ORIGIN = 'rupa.example/log';

describe('a witness', () => {
  let stack: Stack;
  let checkpoints: CheckpointStack;
  let first: TestWitness;
  let second: TestWitness;
  /** The outcomes that the process reported: the witness with `cosigned`, or with why it is away. */
  let reports: [string, string][];
  let rounds: WitnessRounds;

  beforeAll(async () => {
    stack = await startStack();
  });
  afterAll(async () => {
    await stack.close();
  });
  beforeEach(async () => {
    const keys = () => checkpoints.keys.verifierKeys();
    [first, second] = [await startWitness(keys), await startWitness(keys)];
    start([first, second]);
  });
  afterEach(async () => {
    await rounds.end();
    await Promise.all([first.close(), second.close()]);
  });

  /** Starts the process that asks the witnesses, which are named w0, w1 and so on. */
  function start(witnesses: readonly TestWitness[]): void {
    const configured = witnesses.map(({ key, url }, at) => ({ name: `w${at}`, key, url }));
    checkpoints = startCheckpoints(stack, new SystemClock(), ORIGIN, witnessesOf(configured));
    reports = [];
    rounds = checkpoints.witnessRounds({
      onCosigned: ({ name }: Witness) => reports.push([name, 'cosigned']),
      onAway: ({ name }: Witness, _checkpoint, error) => reports.push([name, (error as Error).message]),
    });
  }

  /** Appends events, and signs a checkpoint. */
  async function signed(events = 1): Promise<Checkpoint> {
    const metadata = { $correlationId: 'test', schema_version: 1 };
    const appended = Array.from({ length: events }, () => ({ id: randomUUID(), type: 'Happened', data: {}, metadata }));
    await stack.eventStore.append(`stranger-${randomUUID()}`, appended, NO_EVENTS);
    return await checkpoints.maker.make('test');
  }

  /** Asks the witnesses as the leader does, and returns what they did, by name. */
  async function round(expected = 2): Promise<[string, string][]> {
    const before = reports.length;
    await until(async () => {
      await rounds.begin();
      return reports.length >= before + expected;
    });
    return reports.slice(before).sort();
  }

  const served = async (checkpoint: Checkpoint): Promise<string[]> =>
    (await checkpoints.cosignatures.of(checkpoint)).map(({ witness }) => witness);
  const BOTH = [
    ['w0', 'cosigned'],
    ['w1', 'cosigned'],
  ];

  it('cosigns each checkpoint once, with the proof that it extends the one before', async () => {
    for (const events of [1, 300, 1, 2, 700]) {
      const checkpoint = await signed(events);
      expect(await round()).toStrictEqual(BOTH);
      expect(first.cosigned.get(ORIGIN)).toStrictEqual({ size: checkpoint.tree_size, root: Buffer.from(checkpoint.root, 'base64') });
      expect(await checkpoints.cosignatures.of(checkpoint)).toStrictEqual(
        ['w0', 'w1'].map((witness) => ({ witness, signature: expect.stringMatching(/^— witness\.example\/w1 /), at: expect.any(String) })),
      );
      await rounds.begin();
    }
    expect(first.requests.map(({ status }) => status)).toStrictEqual([200, 200, 200, 200, 200]);
    expect(first.requests[0]?.old).toBe(0);
  });

  it('that cosigned the newest checkpoint is not asked again at the next start', async () => {
    await signed();
    await round();
    start([first, second]);
    await rounds.begin();
    await signed();
    expect(await round()).toStrictEqual(BOTH);
    expect([first, second].map(({ requests }) => requests.map(({ status }) => status))).toStrictEqual([
      [200, 200],
      [200, 200],
    ]);
  });

  it('that cosigned another size is asked once more, with that size', async () => {
    const earlier = await signed();
    await round();
    await stack.pool.query('delete from ops.checkpoint_cosignature');
    await signed();
    expect(await round()).toStrictEqual(BOTH);
    expect(first.requests.slice(1)).toStrictEqual([
      { status: 409, old: 0 },
      { status: 200, old: earlier.tree_size },
    ]);
    // It cosigned this very checkpoint, and its response was lost.
    await stack.pool.query('delete from ops.checkpoint_cosignature');
    start([first, second]);
    expect(await round()).toStrictEqual(BOTH);
    expect(first.requests.slice(3).map(({ status }) => status)).toStrictEqual([409, 200]);
  });

  it('that cosigned a larger tree of this log is named, and not asked again', async () => {
    const { tree_size } = await signed();
    first.cosigned.set(ORIGIN, { size: tree_size + 1, root: Buffer.alloc(32) });
    const size = `it cosigned a tree of ${tree_size + 1} events of this log, and this checkpoint is of ${tree_size}`;
    expect(await round()).toStrictEqual([['w0', size], BOTH[1]]);
    expect(first.requests).toHaveLength(1);
  });

  it('that does not know the log, or saw another log, has cosigned nothing', async () => {
    const { tree_size } = await signed();
    await round();
    first.cosigned.set(ORIGIN, { size: tree_size, root: Buffer.alloc(32) });
    const checkpoint = await signed();
    expect(await round()).toStrictEqual([['w0', 'it responded with the status 422'], BOTH[1]]);
    expect(await served(checkpoint)).toStrictEqual(['w1']);
    const stranger = await startWitness(() => []);
    try {
      start([stranger, second]);
      expect(await round(1)).toStrictEqual([['w0', 'it responded with the status 404']]);
    } finally {
      await stranger.close();
    }
  });

  it('that is away holds up neither checkpoints nor other witnesses, and cosigns the newest one when it is back', async () => {
    const held: (() => void)[] = [];
    first.misbehaviour = (response) => held.push(() => response.destroy());
    const one = await signed();
    expect(await round(1)).toStrictEqual([BOTH[1]]);
    const two = await signed();
    expect(await round(1)).toStrictEqual([BOTH[1]]);
    await until(() => held.length === 1);
    first.misbehaviour = undefined;
    held[0]?.();
    await until(() => reports.length === 3);
    expect(reports[2]).toStrictEqual(['w0', expect.stringContaining('it did not respond')]);
    expect(await round(1)).toStrictEqual([BOTH[0]]);
    expect([await served(one), await served(two)]).toStrictEqual([['w1'], ['w0', 'w1']]);
  });

  it.each<[string, string, TestWitness['misbehaviour']]>([
    ['redirects', 'it responded with the status 307', (response) => response.writeHead(307, { Location: second.url }).end()],
    ['responds without a cosignature', 'its response has no cosignature by its key', (response) => response.end('')],
    [
      'sends a signature of another key',
      'its response has no cosignature by its key',
      (response, body) => response.end(second.cosign(body.slice(body.indexOf('\n\n') + 2, body.lastIndexOf('\n\n') + 1))),
    ],
    [
      'cosigns another text',
      'its response has no cosignature by its key',
      (response) => response.end(first.cosign('rupa.example/log\n1\nx\n')),
    ],
    [
      'responds with too much',
      'it did not respond: The response is longer than 131072 bytes.',
      (response) => response.end('x'.repeat(200_000)),
    ],
    [
      'names no size in a conflict',
      'it responded with the status 409',
      (response) => response.writeHead(409, { 'Content-Type': 'text/x.tlog.size' }).end('many\n'),
    ],
    [
      'disagrees with its own size',
      'it responded with the status 409',
      (response) => response.writeHead(409, { 'Content-Type': 'text/x.tlog.size' }).end('1\n'),
    ],
  ])('that %s has cosigned nothing', async (_case, reason, misbehaviour) => {
    first.misbehaviour = misbehaviour;
    const checkpoint = await signed();
    expect(await round()).toStrictEqual([['w0', reason], BOTH[1]]);
    expect(second.requests).toHaveLength(1);
    expect(await served(checkpoint)).toStrictEqual(['w1']);
  });

  it('is served by the line that its key made of this note, whatever the database says', async () => {
    const [one, two] = [await signed(), await signed()];
    await round();
    const text = two.note.slice(0, two.note.indexOf('\n\n') + 1);
    const replace = async (signature: string) =>
      await stack.pool.query('update ops.checkpoint_cosignature set signature = $1 where number = $2', [signature, two.number]);
    const line = first.cosign(text, 1_700_000_000).trimEnd();
    await replace(line);
    expect(await checkpoints.cosignatures.of(two)).toStrictEqual([{ witness: 'w0', signature: line, at: '2023-11-14T22:13:20.000Z' }]);
    for (const other of [`${line} `, `${line}\n`, first.cosign('x\n').trimEnd(), line.replace('w1', 'w2'), `${line}\n— x y`, '']) {
      await replace(other);
      expect(await served(two)).toStrictEqual([]);
    }
    await replace(line);
    await stack.pool.query('update ops.checkpoint_cosignature set number = $1 where number = $2', [one.number, two.number]);
    expect(await served(one)).toStrictEqual([]);
  });
});
