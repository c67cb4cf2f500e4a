import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Scenario } from '../bench.js';
import { type Figure } from '../report/figure.js';
import { type Series } from '../report/run-report.js';
import { WORKERS } from '../support/cpu-parts.js';
import { HAS_PROC, memoryOf, processTree } from '../support/proc.js';
import { slopeOnceFilled, spreadOf } from '../support/statistics.js';
import { createPartners } from '../world/calls.js';
import { importFarmers } from '../world/farmers.js';
import { PARTNERS, sideOf } from '../world/lookup-world.js';
import { startService } from '../world/service.js';

/** What a partner that is always at its limit asks in an hour, here as fast as it goes. */
const LOOKUPS_A_SECOND = 100;
const SECONDS_AN_HOUR = 3_600;
const SAMPLE_EVERY_MS = 500;
const CHUNK_SECONDS = 10;
const PROBE = resolve('bench/support/heap-probe.mjs');
const SERVICE = 'service (anonymous)';
const POSTGRES = 'PostgreSQL, all processes (anonymous)';
/** In half of the load, of what it has in the end. */
const MOST_GROWTH = 0.05;
/** PostgreSQL's goes up and down by as much, with connections that are opened anew and vacuums that come and go. */
const NO_GROWTH_MIB = 8;

/** By name: after how many seconds, how many MiB. */
type Samples = Map<string, (readonly [seconds: number, MiB: number])[]>;

export const memory: Scenario = {
  name: 'memory',
  what: "memory of each process during an hour's worth of look-ups",
  run: async (bench) => {
    if (!HAS_PROC) return { figures: [], notes: ['this system does not tell how much memory a process has'] };
    const { cleanUp } = bench;
    await bench.closeWorld();
    const heaps = cleanUp.folder();
    const service = await startService(cleanUp, { nodeArgs: ['--import', PROBE], env: { BENCH_HEAP_DIR: heaps } });
    const ids = await importFarmers(cleanUp, service.dataDir, bench.size(10_000, 2_000));
    const side = sideOf(cleanUp, service, { ids, keys: (await createPartners(service, PARTNERS)).map(({ key }) => key) });
    const wanted = bench.size(LOOKUPS_A_SECOND * SECONDS_AN_HOUR, 10_000);
    const samples: Samples = new Map();
    const stop = sample(samples, service.pid, heaps);
    let done = 0;
    while (done < wanted) {
      const load = { kind: 'lookup', url: side.url, keysFile: side.keysFile(1), idsFile: side.idsFile, connections: 64, seconds: CHUNK_SECONDS } as const;
      done += (await bench.measure(() => bench.load.run(load))).requests;
      bench.say(`${done} of ${wanted} look-ups; ${[...samples].map(([name, values]) => `${name} ${(values.at(-1)?.[1] ?? 0).toFixed(0)} MiB`).join(', ')}`);
    }
    await stop();
    await service.stop();
    return { figures: figuresOf(samples, wanted), series: seriesOf(samples) };
  },
};

/** By Node's number of a thread; 0 is the main one. */
function nameOf(thread: string): string {
  return thread === '0' ? 'main thread' : (WORKERS[Number(thread) - 1] ?? `thread ${thread}`);
}

function figuresOf(samples: Samples, lookups: number): Figure[] {
  const growth = (name: string): Figure => {
    const all = samples.get(name) ?? [];
    const half = all.slice(Math.floor(all.length / 2)).map(([, mebibytes]) => mebibytes);
    const seconds = (all.at(-1)?.[0] ?? 0) / 2;
    const bound = Math.round(Math.max(spreadOf(half).median * MOST_GROWTH, NO_GROWTH_MIB));
    return { what: `memory of ${name}, growth in half of ${lookups.toLocaleString('en')} look-ups`, against: '', unit: 'MiB', ours: [slopeOnceFilled(all) * seconds], theirs: [], goal: { of: 'value', most: bound } };
  };
  const most = [...samples].map(([name, values]): Figure => ({ what: `… ${name}, at most`, against: '', unit: 'MiB', ours: [spreadOf(values.map(([, mebibytes]) => mebibytes)).most], theirs: [] }));
  return [growth(SERVICE), growth(POSTGRES), ...most];
}

function seriesOf(samples: Samples): Series[] {
  return [{ title: 'Memory during an hour’s worth of look-ups', x: 'seconds', y: 'MiB', lines: [...samples].map(([name, points]) => ({ name, points })) }];
}

/** Until it is told to stop. */
function sample(samples: Samples, pid: number, heaps: string): () => Promise<void> {
  const began = performance.now();
  const stopping = new AbortController();
  const note = (name: string, mebibytes: number): void => {
    const known = samples.get(name) ?? [];
    known.push([(performance.now() - began) / 1_000, mebibytes]);
    samples.set(name, known);
  };
  const sampling = (async () => {
    while (await delay(SAMPLE_EVERY_MS, true, { signal: stopping.signal }).catch(() => false)) {
      const others = processTree(pid).filter((each) => each.pid !== pid);
      note(SERVICE, memoryOf(pid)?.anonymousMiB ?? 0);
      note(POSTGRES, others.reduce((sum, each) => sum + (memoryOf(each.pid)?.anonymousMiB ?? 0), 0));
      for (const thread of readdirSync(heaps)) note(`heap of the ${nameOf(thread)}`, Number(readFileSync(join(heaps, thread), 'utf8')) / 1_024 ** 2);
    }
  })();
  return async () => {
    stopping.abort();
    await sampling;
  };
}
