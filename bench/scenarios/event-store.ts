import { join } from 'node:path';
import { startPostgres } from '../../embedded/postgres.js';
import { type Bench, type Scenario } from '../bench.js';
import { type Figure } from '../report/figure.js';
import { flushMs } from '../support/flush.js';
import { compiled, run, startServer } from '../support/start.js';
import { alternating } from '../support/statistics.js';
import { requireDurable, settle } from '../world/database.js';

interface Task {
  readonly name: string;
  readonly what: string;
  readonly least: number;
  /** Events a round: of a whole run, of a quick one. */
  readonly events: readonly [whole: number, quick: number];
}

const TASKS: readonly Task[] = [
  { name: 'single', what: 'durable appends, one at a time', least: 2, events: [16_000, 500] },
  { name: 'parallel', what: 'durable appends, 64 at once', least: 2, events: [32_000, 6_400] },
  { name: 'batches', what: 'durable appends of 100 events', least: 2, events: [50_000, 10_000] },
  { name: 'read', what: 'reading a stream', least: 0.5, events: [20_000, 5_000] },
];

interface Side {
  readonly name: 'ours' | 'emmett';
  readonly url: string;
}

/** The store alone, without the service: each in processes of its own, asked by a client in another. */
export const eventStore: Scenario = {
  name: 'event-store',
  what: 'the embedded event store: durable appends and reading, against Emmett on the same PostgreSQL',
  run: async (bench) => {
    const { cleanUp } = bench;
    await bench.closeWorld();
    const folder = cleanUp.folder();
    const args = [compiled('embedded/event-store/main.js'), '--data-dir', join(folder, 'event-store')];
    const server = await startServer(cleanUp, {
      args,
      env: {},
      signal: 'SIGTERM',
      ready: /"connectionString":"([^"]+)"/,
      log: join(folder, 'event-store.log'),
    });
    const postgres = await startPostgres({ dataDir: folder });
    const stopPostgres = cleanUp.add(() => postgres.stop());
    await requireDurable(postgres.connectionString);
    const sides: readonly [Side, Side] = [
      { name: 'ours', url: server.found },
      { name: 'emmett', url: postgres.connectionString },
    ];
    const figures: Figure[] = [];
    for (const task of TASKS) figures.push(await measure(bench, sides, task, postgres.connectionString));
    const flush = flushMs(folder);
    await server.stop();
    await stopPostgres();
    return {
      figures,
      notes: [
        `a write of 1 KiB and its flush take ${flush.toFixed(2)} ms on this disk: what one append at a time waits for on either side`,
      ],
    };
  },
};

async function measure(
  bench: Bench,
  sides: readonly [Side, Side],
  { name, what, least, events }: Task,
  databaseUrl: string,
): Promise<Figure> {
  const measured: Record<Side['name'], number[]> = { ours: [], emmett: [] };
  const count = bench.size(...events);
  const rounds = bench.rounds(5, 2);
  for (const [round, order] of alternating(sides, rounds + 1).entries()) {
    for (const side of order) {
      await settle([databaseUrl]);
      const args = [
        compiled('bench/workers/event-store.js'),
        '--side',
        side.name,
        '--url',
        side.url,
        '--task',
        name,
        '--count',
        String(count),
      ];
      const out = await bench.measure(() => run(bench.cleanUp, process.execPath, args));
      const { perSecond } = JSON.parse(out) as { perSecond: number };
      // The first round warms both servers.
      if (round > 0) measured[side.name].push(perSecond);
      bench.say(`${what}, ${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}, ${side.name}: ${Math.round(perSecond)} events/s`);
    }
  }
  return { what, against: 'Emmett', unit: 'events/s', ours: measured.ours, theirs: measured.emmett, goal: { of: 'ratio', least } };
}
