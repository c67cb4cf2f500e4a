import { setTimeout as delay } from 'node:timers/promises';
import { type Scenario } from '../bench.js';
import { type Figure } from '../report/figure.js';
import { type Series } from '../report/run-report.js';
import { Heaps } from '../support/heaps.js';
import { HAS_PROC, memoryOf, processTree } from '../support/proc.js';
import { slopeOnceFilled, spreadOf } from '../support/statistics.js';
import { createPartners, untilCaughtUp } from '../environment/calls.js';
import { importFarmers } from '../environment/farmers.js';
import { PARTNERS, sideOf } from '../environment/lookup-environment.js';
import { startService } from '../environment/service-process.js';

/** Lookups that a partner at its rate limit makes in an hour. They are made as fast as possible here. */
const LOOKUPS_PER_SECOND = 100;
const SECONDS_PER_HOUR = 3_600;
const SAMPLE_EVERY_MS = 500;
const CHUNK_SECONDS = 10;
const SERVICE = 'service (anonymous)';
/** Memory after a garbage collection. Uncollected garbage comes in two or three waves, each larger than the allowed growth. */
const COLLECTED = 'service, after garbage collection';
const POSTGRES = 'PostgreSQL, all processes (anonymous)';
/** Allowed growth during half of the load, as a share of the median memory in the second half. */
const MAX_GROWTH_SHARE = 0.05;
/** Growth that is always allowed: the memory of PostgreSQL varies by as much with new connections and vacuums. */
const IGNORED_GROWTH_MIB = 8;

export const memory: Scenario = {
  name: 'memory',
  description: "memory of each process during an hour's worth of lookups",
  run: async (bench) => {
    if (!HAS_PROC) return { figures: [], notes: ['not measured, because this system has no /proc with the memory of processes'] };
    const { cleanUp } = bench;
    await bench.closeEnvironment();
    const heaps = new Heaps(cleanUp.folder());
    const service = await startService(cleanUp, heaps.options);
    const ids = await importFarmers(cleanUp, service.dataDir, bench.size(10_000, 2_000));
    const side = sideOf(cleanUp, service, { ids, keys: (await createPartners(service, PARTNERS)).map(({ key }) => key) });
    const wanted = bench.size(LOOKUPS_PER_SECOND * SECONDS_PER_HOUR, 10_000);
    const samples = new Samples();
    const stop = sample(samples, service.pid, heaps);
    let done = 0;
    while (done < wanted) {
      const load = {
        kind: 'lookup',
        url: side.url,
        keysFile: side.keysFile(1),
        idsFile: side.idsFile,
        connections: 64,
        seconds: CHUNK_SECONDS,
      } as const;
      done += (await bench.measure(() => bench.load.run(load))).requests;
      await untilCaughtUp(service);
      await heaps.collectGarbage();
      samples.note(COLLECTED, anonymousMiB(service.pid));
      bench.say(`${done} of ${wanted} lookups; ${samples.describeLast()}`);
    }
    await stop();
    await service.stop();
    return { figures: figuresOf(samples, wanted), series: [samples.toSeries('Memory during an hour’s worth of lookups')] };
  },
};

/** Samples of memory in MiB with their time in seconds, by name. */
class Samples {
  private readonly began = performance.now();
  private readonly byName = new Map<string, (readonly [seconds: number, MiB: number])[]>();

  note(name: string, mebibytes: number): void {
    const known = this.byName.get(name) ?? [];
    known.push([(performance.now() - this.began) / 1_000, mebibytes]);
    this.byName.set(name, known);
  }

  of(name: string): readonly (readonly [seconds: number, MiB: number])[] {
    return this.byName.get(name) ?? [];
  }

  describeLast(): string {
    return [...this.byName].map(([name, values]) => `${name} ${(values.at(-1)?.[1] ?? 0).toFixed(0)} MiB`).join(', ');
  }

  /** Returns the maximum of each name. */
  maxima(): (readonly [name: string, MiB: number])[] {
    return [...this.byName].map(([name, values]) => [name, spreadOf(values.map(([, mebibytes]) => mebibytes)).max]);
  }

  toSeries(title: string): Series {
    return { title, x: 'seconds', y: 'MiB', lines: [...this.byName].map(([name, points]) => ({ name, points })) };
  }
}

function figuresOf(samples: Samples, lookups: number): Figure[] {
  const growth = (name: string): Figure => {
    const all = samples.of(name);
    const half = all.slice(Math.floor(all.length / 2)).map(([, mebibytes]) => mebibytes);
    const seconds = (all.at(-1)?.[0] ?? 0) / 2;
    const bound = Math.round(Math.max(spreadOf(half).median * MAX_GROWTH_SHARE, IGNORED_GROWTH_MIB));
    return {
      label: `memory growth during half of ${lookups.toLocaleString('en')} lookups: ${name}`,
      baseline: '',
      unit: 'MiB',
      ours: [slopeOnceFilled(all) * seconds],
      theirs: [],
      goal: { of: 'value', max: bound },
    };
  };
  const maxima = samples
    .maxima()
    .map(([name, mebibytes]): Figure => ({ label: `… maximum memory: ${name}`, baseline: '', unit: 'MiB', ours: [mebibytes], theirs: [] }));
  return [growth(COLLECTED), growth(POSTGRES), ...maxima];
}

/** Takes samples until the returned function is called. */
function sample(samples: Samples, pid: number, heaps: Heaps): () => Promise<void> {
  const stopping = new AbortController();
  const sampling = (async () => {
    while (await delay(SAMPLE_EVERY_MS, true, { signal: stopping.signal }).catch(() => false)) {
      const others = processTree(pid).filter((each) => each.pid !== pid);
      samples.note(SERVICE, anonymousMiB(pid));
      samples.note(
        POSTGRES,
        others.reduce((sum, each) => sum + anonymousMiB(each.pid), 0),
      );
      for (const { thread, usedMiB } of heaps.read()) samples.note(`heap of the ${thread}`, usedMiB);
    }
  })();
  return async () => {
    stopping.abort();
    await sampling;
  };
}

function anonymousMiB(pid: number): number {
  return memoryOf(pid)?.anonymousMiB ?? 0;
}
