import { type Bench } from '../bench.js';
import { type Figure } from '../report/figure.js';
import { compiled, run } from './child-programs.js';
import { alternating } from './statistics.js';

/** The task of a client in a round, with its number of events in a whole and in a quick run. */
export interface AppendTask {
  readonly name: 'single' | 'parallel' | 'batches' | 'read';
  readonly label: string;
  readonly events: readonly [whole: number, quick: number];
  /** Goal: the smallest acceptable ratio, if there is a goal. */
  readonly min?: number;
}

/** One of the two event stores that a round compares. */
export interface AppendSide {
  readonly name: string;
  readonly client: 'ours' | 'emmett';
  readonly url: string;
}

export interface AppendRounds {
  readonly sides: readonly [ours: AppendSide, theirs: AppendSide];
  readonly task: AppendTask;
  readonly baseline: string;
  readonly rounds: number;
  /** Runs before each measurement, such as writing checkpoints, so that a measurement does not include work of an earlier one. */
  readonly beforeEach?: () => Promise<void>;
}

/** Measures both sides in turn, each with a new client process. The first round warms up both servers and does not count. */
export async function appendRounds(bench: Bench, { sides, task, baseline, rounds, beforeEach }: AppendRounds): Promise<Figure> {
  const measured = new Map<AppendSide, number[]>(sides.map((side) => [side, []]));
  const count = bench.size(...task.events);
  for (const [round, order] of alternating(sides, rounds + 1).entries()) {
    for (const side of order) {
      await beforeEach?.();
      const perSecond = await bench.measure(() => eventsPerSecond(bench, side, task.name, count));
      if (round > 0) measured.get(side)?.push(perSecond);
      const when = round === 0 ? 'warming up' : `round ${round} of ${rounds}`;
      bench.say(`${task.label}, ${when}, ${side.name}: ${Math.round(perSecond)} events/s`);
    }
  }
  const [ours = [], theirs = []] = sides.map((side) => measured.get(side));
  return { label: task.label, baseline, unit: 'events/s', ours, theirs, ...goalOf(task) };
}

function goalOf({ min }: AppendTask): Pick<Figure, 'goal'> {
  return min === undefined ? {} : { goal: { of: 'ratio', min } };
}

async function eventsPerSecond(bench: Bench, { client, url }: AppendSide, task: AppendTask['name'], count: number): Promise<number> {
  const args = ['--side', client, '--url', url, '--task', task, '--count', String(count)];
  const out = await run(bench.cleanUp, process.execPath, [compiled('bench/workers/append-client.js'), ...args]);
  return (JSON.parse(out) as { perSecond: number }).perSecond;
}
