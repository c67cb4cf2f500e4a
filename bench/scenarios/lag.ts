import pg from 'pg';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { PROJECTED_CHANNEL } from '../../src/platform/projecting/checkpoints.js';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, type Scenario } from '../bench.js';
import { type Figure, type Goal } from '../report/figure.js';
import { percentile } from '../support/statistics.js';
import { lookUp } from '../environment/calls.js';
import { type BenchService } from '../environment/service-process.js';
import { linesOf } from '../load/drawn-calls.js';

/** Milliseconds between probes: short enough for a percentile, long enough not to be a load. */
const PROBE_EVERY_MS = 25;
/** Milliseconds between the reads that wait, so that the read models are mostly written without one. */
const READ_EVERY_MS = 100;
/** Milliseconds between lookups where the service is idle otherwise. They and the reads begin at different moments of one another. */
const LOOKUP_EVERY_MS = 70;
const GIVE_UP_MS = 60_000;

interface Probed {
  /** Milliseconds of each probe: since the start of the load, and until the read models showed the event that was newest at that moment. */
  readonly lags: readonly (readonly [at: number, lag: number])[];
  /** Milliseconds of each read that the probes made. */
  readonly reads: readonly number[];
  /** Milliseconds from the end of the load until the read models had caught up. */
  readonly catchUpMs: number;
}

interface Round {
  /** While nobody waits for the read models. */
  readonly alone: Probed;
  /** While another client makes reads that wait. */
  readonly waited: Probed;
}

/**
 * Measures the lag of the read models, under the load of the scenario `lookups` and with a few lookups one after another: while nobody waits
 * for them, and while another client lists the lookups of the partner, a read which waits until the read models show the last event of the
 * wallet.
 */
export const lag: Scenario = {
  name: 'lag',
  description: 'lag of the read models behind the log, under the load of the scenario lookups and without',
  run: async (bench) => {
    const { ours, service } = await bench.lookupEnvironment();
    const keysFile = ours.keysFile(1);
    const load = {
      kind: 'lookup',
      url: ours.url,
      keysFile,
      idsFile: ours.idsFile,
      connections: 64,
      seconds: bench.size(10, 4),
    } as const;
    await bench.load.run(load);
    await ours.untilIdle();
    const [key = ''] = linesOf(keysFile);
    const ids = linesOf(ours.idsFile);
    const read = (): Promise<void> => readLookups(service, key);
    const probe = async (work: () => Promise<unknown>, probes: Probes): Promise<Probed> =>
      await bench.measure(() => probeDuring(service, probes, work));
    const probeBoth = async (which: string, work: () => Promise<unknown>): Promise<Round> => {
      const alone = await probe(work, { everyMs: PROBE_EVERY_MS });
      tell(bench, which, alone);
      const waited = await probe(work, { everyMs: READ_EVERY_MS, read });
      tell(bench, `${which}, with reads that wait`, waited);
      return { alone, waited };
    };
    const [loaded, idle]: [Round[], Round[]] = [[], []];
    const count = bench.rounds(3, 2);
    for (let round = 1; round <= count; round += 1) {
      loaded.push(await probeBoth(`round ${round} of ${count}`, () => bench.load.run(load)));
      await ours.untilIdle();
      idle.push(await probeBoth(`round ${round} of ${count}, idle`, () => lookUpNowAndThen(service, { key, ids, seconds: load.seconds })));
    }
    return {
      figures: [
        ...figuresOf('projector lag under the load of lookups', loaded),
        ...figuresOf(`projector lag with a lookup every ${LOOKUP_EVERY_MS} ms`, idle),
      ],
      series: [
        {
          title: 'Projector lag under load',
          x: 'seconds',
          y: 'ms',
          lines: loaded.map(({ alone: { lags } }, round) => ({
            name: `round ${round + 1}`,
            points: lags.map(([at, value]) => [at / 1_000, value] as const),
          })),
        },
      ],
    };
  },
};

function figuresOf(label: string, rounds: readonly Round[]): Figure[] {
  const figure = (name: string, of: (round: Round) => number, goal?: Goal): Figure => ({
    label: name,
    baseline: '',
    unit: 'ms',
    ours: rounds.map(of),
    theirs: [],
    ...(goal ? { goal } : {}),
  });
  return [
    figure(`${label}, p99`, ({ alone }) => p99(alone), { of: 'value', max: 250 }),
    figure('… time to catch up after the load', ({ alone }) => alone.catchUpMs, { of: 'value', max: 1_000 }),
    figure('… p99 while a read waits', ({ waited }) => p99(waited), { of: 'value', max: 30 }),
    figure('… median of the reads that wait', ({ waited }) => percentile(waited.reads, 0.5)),
    figure('… p99 of the reads that wait', ({ waited }) => percentile(waited.reads, 0.99)),
  ];
}

/** Looks farmers up, one after another, and pauses in between. */
async function lookUpNowAndThen(
  service: Pick<BenchService, 'url'>,
  { key, ids, seconds }: { readonly key: string; readonly ids: readonly string[]; readonly seconds: number },
): Promise<void> {
  const end = performance.now() + seconds * 1_000;
  for (let n = 0; performance.now() < end; n += 1) {
    await lookUp(service, key, ids[n % ids.length] ?? '');
    await delay(LOOKUP_EVERY_MS);
  }
}

/** The service refuses a read with a 503 after two seconds. The reader has waited that long, so its time counts as well. */
async function readLookups({ url }: Pick<BenchService, 'url'>, key: string): Promise<void> {
  const response = await fetch(`${url}/v1/rupa/lookups?limit=1`, { headers: { 'X-API-KEY': key } });
  const text = await response.text();
  if (!response.ok && response.status !== 503) throw new Error(`The list of lookups got ${response.status}: ${text.slice(0, 500)}`);
}

function tell(bench: Bench, which: string, probed: Probed): void {
  bench.say(
    `${which}: p99 ${p99(probed).toFixed(0)} ms of ${probed.lags.length} probes, caught up ${probed.catchUpMs.toFixed(0)} ms after the load`,
  );
}

function p99({ lags }: Probed): number {
  return percentile(
    lags.map(([, value]) => value),
    0.99,
  );
}

interface Probes {
  readonly everyMs: number;
  /** A read that waits for the read models. It is sent as a probe begins. */
  readonly read?: () => Promise<void>;
}

/** Reads the position of the newest event at intervals, and waits for the projector's notification that the read models show it. */
async function probeDuring(
  { stores }: Pick<BenchService, 'stores'>,
  { everyMs, read }: Probes,
  work: () => Promise<unknown>,
): Promise<Probed> {
  const eventStore = new EventStore(stores.eventStoreUrl);
  const projected = await ProjectedPosition.listen(stores.databaseUrl);
  const lags: [number, number][] = [];
  const reads: number[] = [];
  const waiting: Promise<void>[] = [];
  const waitFor = (pending: Promise<void>): void => {
    // A failure is reported after the load.
    pending.catch(() => undefined);
    waiting.push(pending);
  };
  const probe = async (began: number): Promise<number> => {
    const asked = performance.now();
    const head = await eventStore.headPosition();
    if (head !== undefined) await projected.until(head);
    return performance.now() - Math.max(began, asked);
  };
  try {
    const began = performance.now();
    const ended = new AbortController();
    const working = work().finally(() => {
      ended.abort();
    });
    working.catch(() => undefined);
    while (!ended.signal.aborted) {
      const asked = performance.now();
      if (read) waitFor(read().then(() => void reads.push(performance.now() - asked)));
      waitFor(probe(asked).then((value) => void lags.push([asked - began, value])));
      await delay(everyMs);
    }
    await working;
    const catchUpMs = await probe(performance.now());
    await Promise.all(waiting);
    return { lags: lags.toSorted(([one], [other]) => one - other), reads, catchUpMs };
  } finally {
    await projected.close();
    await eventStore.close();
  }
}

/** The position that the read models have reached, from the notification that the projector sends for each committed batch. */
class ProjectedPosition {
  private position = -1n;
  private readonly waiting = new Set<{ readonly position: bigint; readonly resolve: () => void }>();

  private constructor(private readonly client: pg.Client) {
    client.on('notification', ({ payload = '' }) => {
      this.reach(BigInt(payload));
    });
  }

  static async listen(databaseUrl: string): Promise<ProjectedPosition> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const projected = new ProjectedPosition(client);
    await client.query(`listen ${PROJECTED_CHANNEL}`);
    const { rows } = await client.query<{ position: string | null }>(
      "select min(position)::text as position from ops.checkpoint where projection = 'wallet_entry'",
    );
    projected.reach(BigInt(rows[0]?.position ?? -1n));
    return projected;
  }

  async until(position: bigint): Promise<void> {
    if (this.position >= position) return;
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const waiting = {
      position,
      resolve: () => {
        resolve(undefined);
      },
    };
    this.waiting.add(waiting);
    const timer = setTimeout(() => {
      reject(new Error(`The read models did not show position ${position} within ${GIVE_UP_MS / 1_000} s.`));
    }, GIVE_UP_MS);
    await promise.finally(() => {
      clearTimeout(timer);
    });
  }

  async close(): Promise<void> {
    await this.client.end();
  }

  private reach(position: bigint): void {
    if (position > this.position) this.position = position;
    for (const each of this.waiting) {
      if (each.position > this.position) continue;
      this.waiting.delete(each);
      each.resolve();
    }
  }
}
