import pg from 'pg';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { PROJECTED_CHANNEL } from '../../src/platform/projecting/checkpoints.js';
import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, type Scenario } from '../bench.js';
import { type Figure, type Goal } from '../report/figure.js';
import { percentile } from '../support/statistics.js';
import { type BenchService } from '../environment/service-process.js';
import { linesOf } from '../load/drawn-calls.js';

/** Milliseconds between probes: short enough for a percentile, long enough not to be a load. */
const PROBE_EVERY_MS = 25;
/** Milliseconds between the reads that wait, so that the read models are mostly written without one. */
const READ_EVERY_MS = 100;
const GIVE_UP_MS = 60_000;

interface Probed {
  /** Milliseconds of each probe: since the start of the load, and until the read models showed the event that was newest at that moment. */
  readonly lags: readonly (readonly [at: number, lag: number])[];
  /** Milliseconds of each read that the probes made. */
  readonly reads: readonly number[];
  /** Milliseconds from the end of the load until the read models had caught up. */
  readonly catchUpMs: number;
}

/**
 * Measures the lag of the read models under the load of the scenario `lookups`: while nobody waits for them, and while another client lists
 * the lookups of the loaded partner, a read which waits until the read models show the last event of the wallet.
 */
export const lag: Scenario = {
  name: 'lag',
  description: 'lag of the read models behind the log under the load of the scenario lookups',
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
    const read = (): Promise<void> => readLookups(service, key);
    const probe = async (probes: Probes): Promise<Probed> =>
      await bench.measure(() => probeDuring(service, probes, () => bench.load.run(load)));
    const rounds: { readonly alone: Probed; readonly waited: Probed }[] = [];
    const count = bench.rounds(3, 2);
    for (let round = 0; round < count; round += 1) {
      const [alone, waited] = [await probe({ everyMs: PROBE_EVERY_MS }), await probe({ everyMs: READ_EVERY_MS, read })];
      rounds.push({ alone, waited });
      tell(bench, `round ${round + 1} of ${count}`, alone);
      tell(bench, `round ${round + 1} of ${count}, with reads that wait`, waited);
    }
    const figure = (label: string, of: (round: (typeof rounds)[number]) => number, goal?: Goal): Figure => ({
      label,
      baseline: '',
      unit: 'ms',
      ours: rounds.map(of),
      theirs: [],
      ...(goal ? { goal } : {}),
    });
    return {
      figures: [
        figure('projector lag under the load of lookups, p99', ({ alone }) => p99(alone), { of: 'value', max: 250 }),
        figure('… time to catch up after the load', ({ alone }) => alone.catchUpMs, { of: 'value', max: 1_000 }),
        figure('… p99 while a read waits', ({ waited }) => p99(waited), { of: 'value', max: 30 }),
        figure('… median of the reads that wait', ({ waited }) => percentile(waited.reads, 0.5)),
        figure('… p99 of the reads that wait', ({ waited }) => percentile(waited.reads, 0.99)),
      ],
      series: [
        {
          title: 'Projector lag under load',
          x: 'seconds',
          y: 'ms',
          lines: rounds.map(({ alone: { lags } }, round) => ({
            name: `round ${round + 1}`,
            points: lags.map(([at, value]) => [at / 1_000, value] as const),
          })),
        },
      ],
    };
  },
};

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
