import { addressesOf } from '../../src/stores/stores.js';
import { type Scenario } from '../bench.js';
import { compiled, run } from '../support/child-programs.js';
import { alternating } from '../support/statistics.js';
import { writeCheckpoints } from '../environment/database.js';
import { openStoresOf } from '../environment/opened-stores.js';

type Task = 'rebuild' | 'read';

const TASKS: readonly Task[] = ['rebuild', 'read'];

/** Compares a rebuild of all read models from a generated history with merely reading that log. */
export const rebuilding: Scenario = {
  name: 'rebuild',
  description: 'rebuild of all read models from 1 million events, compared with merely reading the log',
  run: async (bench) => {
    const { cleanUp } = bench;
    await bench.closeEnvironment();
    const dataDir = cleanUp.folder();
    const events = bench.size(1_000_000, 50_000);
    bench.say(`filling a log with ${events} events`);
    const filled = await run(cleanUp, process.execPath, [compiled('bench/demo-log/main.js'), '--events', String(events)], {
      env: { DATA_DIR: dataDir },
    });
    bench.say(filled.trim());
    const { stores, stop } = await openStoresOf(cleanUp, dataDir);
    const measured: Record<Task, number[]> = { rebuild: [], read: [] };
    for (const order of alternating(TASKS, bench.rounds(3, 2))) {
      for (const task of order) {
        await writeCheckpoints([stores.databaseUrl]);
        const env = { BENCH_STORES: JSON.stringify(addressesOf(stores)) };
        const out = await bench.measure(() =>
          run(cleanUp, process.execPath, [compiled('bench/workers/replay.js'), '--task', task], { env }),
        );
        const replayed = JSON.parse(out) as { events: number; seconds: number };
        if (replayed.events < events) throw new Error(`The task ${task} got ${replayed.events} of ${events} events.`);
        measured[task].push(replayed.events / replayed.seconds);
        bench.say(`${task}: ${replayed.events} events in ${replayed.seconds.toFixed(1)} s`);
      }
    }
    await stop();
    return {
      figures: [
        {
          label: `rebuild of all read models, ${events.toLocaleString('en')} events`,
          baseline: 'reading only',
          unit: 'events/s',
          ours: measured.rebuild,
          theirs: measured.read,
          goal: { of: 'ratio', min: 0.5 },
        },
      ],
    };
  },
};
