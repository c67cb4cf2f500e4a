import pg from 'pg';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { PROJECTED_CHANNEL } from '../../src/platform/projecting/checkpoints.js';
import { setTimeout as delay } from 'node:timers/promises';
import { type Scenario } from '../bench.js';
import { percentile } from '../support/statistics.js';
import { type BenchService } from '../world/service-process.js';

/** Often enough for a percentile, seldom enough not to be a load. */
const PROBE_EVERY_MS = 25;
const GIVE_UP_MS = 60_000;

interface Probed {
  /** Of each probe: when, from the beginning of the load, and how long until the read models showed what was newest then, in ms. */
  readonly lags: readonly (readonly [at: number, lag: number])[];
  /** From the end of the load until nothing was left. */
  readonly backToNothingMs: number;
}

/** How far behind the log the read models are under the first row's load. */
export const lag: Scenario = {
  name: 'lag',
  what: "how far the read models are behind the log during the first row's load",
  run: async (bench) => {
    const { ours, service } = await bench.lookupWorld();
    const load = {
      kind: 'lookup',
      url: ours.url,
      keysFile: ours.keysFile(1),
      idsFile: ours.idsFile,
      connections: 64,
      seconds: bench.size(10, 4),
    } as const;
    await bench.load.run(load);
    await ours.settled();
    const rounds: Probed[] = [];
    const count = bench.rounds(3, 2);
    for (let round = 0; round < count; round += 1) {
      const probed = await bench.measure(() => probeDuring(service, () => bench.load.run(load)));
      rounds.push(probed);
      bench.say(
        `round ${round + 1} of ${count}: p99 ${p99(probed).toFixed(0)} ms of ${probed.lags.length} probes, back to nothing after ${probed.backToNothingMs.toFixed(0)} ms`,
      );
    }
    return {
      figures: [
        {
          what: 'projector lag under the first row, p99',
          against: '',
          unit: 'ms',
          ours: rounds.map(p99),
          theirs: [],
          goal: { of: 'value', most: 250 },
        },
        {
          what: '… back to nothing after',
          against: '',
          unit: 'ms',
          ours: rounds.map(({ backToNothingMs }) => backToNothingMs),
          theirs: [],
          goal: { of: 'value', most: 1_000 },
        },
      ],
      series: [
        {
          title: 'Projector lag under load',
          x: 'seconds',
          y: 'ms',
          lines: rounds.map(({ lags }, round) => ({
            name: `round ${round + 1}`,
            points: lags.map(([at, value]) => [at / 1_000, value] as const),
          })),
        },
      ],
    };
  },
};

function p99({ lags }: Probed): number {
  return percentile(
    lags.map(([, value]) => value),
    0.99,
  );
}

/** Asks for the newest event now and then, and waits for the projector's own word that it shows it. */
async function probeDuring({ stores }: Pick<BenchService, 'stores'>, work: () => Promise<unknown>): Promise<Probed> {
  const eventStore = new EventStore(stores.eventStoreUrl);
  const shown = await Shown.listen(stores.databaseUrl);
  const lags: [number, number][] = [];
  const waiting: Promise<void>[] = [];
  const probe = async (began: number): Promise<number> => {
    const asked = performance.now();
    const head = await eventStore.headPosition();
    if (head !== undefined) await shown.until(head);
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
      waiting.push(probe(asked).then((value) => void lags.push([asked - began, value])));
      await delay(PROBE_EVERY_MS);
    }
    await working;
    const backToNothingMs = await probe(performance.now());
    await Promise.all(waiting);
    return { lags: lags.toSorted(([one], [other]) => one - other), backToNothingMs };
  } finally {
    await shown.close();
    await eventStore.close();
  }
}

/** What the projector tells of each batch that it has committed. */
class Shown {
  private position = -1n;
  private readonly waiting = new Set<{ readonly position: bigint; readonly resolve: () => void }>();

  private constructor(private readonly client: pg.Client) {
    client.on('notification', ({ payload = '' }) => {
      this.reach(BigInt(payload));
    });
  }

  static async listen(databaseUrl: string): Promise<Shown> {
    const client = new pg.Client({ connectionString: databaseUrl });
    await client.connect();
    const shown = new Shown(client);
    await client.query(`listen ${PROJECTED_CHANNEL}`);
    const { rows } = await client.query<{ position: string | null }>(
      "select min(position)::text as position from ops.checkpoint where projection = 'wallet_entry'",
    );
    shown.reach(BigInt(rows[0]?.position ?? -1n));
    return shown;
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
      reject(new Error(`The read models did not show an event within ${GIVE_UP_MS / 1_000} s.`));
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
