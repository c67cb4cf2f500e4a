import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { projections } from '../../projections/index.js';
import { rebuild } from '../../src/platform/projecting/rebuilding/rebuild.js';
import { tablesOf } from '../../src/platform/projecting/projection.js';
import { verify } from '../../src/platform/projecting/rebuilding/verify.js';
import { anyAction, perform } from '../support/any-history.js';
import { startStack, type Stack } from '../support/stack.js';
import { LIMIT_MS } from '../support/timeouts.js';
import { until } from '../support/until.js';

const HISTORIES = 10;

const anyRun = fc.record({
  /** The actions, in parts: the projector is restarted between two parts. */
  parts: fc.array(fc.array(anyAction, { minLength: 5, maxLength: 40, size: 'max' }), { minLength: 1, maxLength: 4 }),
  maxBatch: fc.integer({ min: 1, max: 7 }),
  rebuilding: fc.record({ batch: fc.integer({ min: 1, max: 9 }), rows: fc.integer({ min: 0, max: 9 }) }),
});

/** A history without events, as when every action is rejected. */
const EMPTY = { parts: [[]], maxBatch: 1, rebuilding: { batch: 1, rows: 0 } };

describe('any history', () => {
  it(
    'yields the same read models live and rebuilt, row by row',
    async () => {
      await fc.assert(
        fc.asyncProperty(anyRun, (run) => onStack((stack) => check(stack, run))),
        { numRuns: HISTORIES, endOnFailure: true, examples: [[EMPTY]] },
      );
    },
    LIMIT_MS + HISTORIES * 30_000,
  );
});

async function check(
  stack: Stack,
  { parts, maxBatch, rebuilding }: typeof anyRun extends fc.Arbitrary<infer Run> ? Run : never,
): Promise<void> {
  const faults: string[] = [];
  const project = () => stack.project(projections, { maxBatch, onFault: (projection, reason) => faults.push(`${projection}: ${reason}`) });
  let running = project();
  for (const actions of parts) {
    for (const each of actions) await perform(each, stack);
    await running.stop();
    running = project();
  }
  // A fresh codec has no data key of an erased farmer in memory, like any process that starts from now on.
  const shadowParts = { ...stack.parts, codec: stack.freshCodec(), limits: rebuilding };
  await Promise.race([
    caughtUp(stack, faults),
    running.ended.then((reason) => Promise.reject(new Error(`The projector ended: ${String(reason)}`))),
  ]);
  const live = await verify(shadowParts, projections, 'read');
  expect(live.filter(({ differing }) => differing > 0)).toStrictEqual([]);
  expect(live.map(({ projection }) => projection)).toStrictEqual(tablesOf(projections).map(({ name }) => name));
  await rebuild(shadowParts, projections, 'read');
  const rebuilt = await verify(shadowParts, projections, 'read');
  expect(rebuilt).toStrictEqual(live);
}

/**
 * Waits until all projections have caught up. It reports a fault at once, because waiting until the test times out would hide the reason.
 */
async function caughtUp({ pool, eventStore }: Stack, faults: readonly string[]): Promise<void> {
  const head = (await eventStore.headPosition())?.toString() ?? null;
  await until(async () => {
    expect(faults).toStrictEqual([]);
    return (
      (await pool.query('select 1 from ops.checkpoint where position is not distinct from $1', [head])).rowCount === projections.length
    );
  });
}

async function onStack(work: (stack: Stack) => Promise<void>): Promise<void> {
  const stack = await startStack();
  try {
    await work(stack);
  } finally {
    await stack.close();
  }
}
