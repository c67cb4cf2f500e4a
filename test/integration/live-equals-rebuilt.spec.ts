import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { projections } from '../../projections/index.js';
import { rebuild } from '../../src/platform/projecting/rebuild.js';
import { verify } from '../../src/platform/projecting/verify.js';
import { anyDeed, perform } from '../support/any-history.js';
import { rounds } from '../support/length.js';
import { startStack, type Stack } from '../support/stack.js';
import { until } from '../support/until.js';

const HISTORIES = rounds('HISTORIES', { short: 3, long: 10 });

const anyRun = fc.record({
  /** Between two parts the projector is stopped and, sometimes, started again. */
  parts: fc.array(fc.array(anyDeed, { minLength: 5, maxLength: 40, size: 'max' }), { minLength: 1, maxLength: 4 }),
  maxBatch: fc.integer({ min: 1, max: 7 }),
  rebuilding: fc.record({ batch: fc.integer({ min: 1, max: 9 }), rows: fc.integer({ min: 0, max: 9 }) }),
});

/** Where every deed was refused there is no event. */
const EMPTY = { parts: [[]], maxBatch: 1, rebuilding: { batch: 1, rows: 0 } };

describe('any history', () => {
  it(
    'makes the same read models live and rebuilt, row by row',
    async () => {
      await fc.assert(
        fc.asyncProperty(anyRun, (run) => onStack((stack) => check(stack, run))),
        { numRuns: HISTORIES, endOnFailure: true, examples: [[EMPTY]] },
      );
    },
    HISTORIES * 30_000,
  );
});

async function check(
  stack: Stack,
  { parts, maxBatch, rebuilding }: typeof anyRun extends fc.Arbitrary<infer Run> ? Run : never,
): Promise<void> {
  const faults: string[] = [];
  const project = () => stack.project(projections, { maxBatch, onFault: (projection, reason) => faults.push(`${projection}: ${reason}`) });
  let running = project();
  for (const deeds of parts) {
    for (const each of deeds) await perform(each, stack);
    await running.stop();
    running = project();
  }
  // What an erased farmer's events said is gone for whoever reads them from now on.
  const shadowParts = { ...stack.parts, codec: stack.freshCodec(), limits: rebuilding };
  await Promise.race([
    level(stack, faults),
    running.ended.then((reason) => Promise.reject(new Error(`The projector ended: ${String(reason)}`))),
  ]);
  const live = await verify(shadowParts, projections, 'read');
  expect(live.filter(({ differing }) => differing > 0)).toStrictEqual([]);
  expect(live.map(({ projection }) => projection)).toStrictEqual(projections.map(({ name }) => name));
  await rebuild(shadowParts, projections, 'read');
  const rebuilt = await verify(shadowParts, projections, 'read');
  expect(rebuilt).toStrictEqual(live);
}

/** What stands still would be waited for until the test's limit, which tells nobody why. */
async function level({ pool, eventStore }: Stack, faults: readonly string[]): Promise<void> {
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
