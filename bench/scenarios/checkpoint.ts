import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, type Scenario } from '../bench.js';
import { admin, call, createPartner } from '../environment/calls.js';
import { type BenchService, startService } from '../environment/service-process.js';
import { compiled, run } from '../support/child-programs.js';
import { Heaps } from '../support/heaps.js';
import { memoryOf } from '../support/proc.js';
import { until } from '../support/until.js';
import { percentile, slopeOnceFilled } from '../support/statistics.js';

const PROBE_EVERY_MS = 20;
const PROOFS = 500;
const CATCHING_UP = { everyMs: 500, giveUpMs: 600_000, otherwise: 'The read models did not show all wallets within 10 minutes.' };

interface Round {
  readonly seconds: number;
  /** Milliseconds of each call of a partner while the checkpoint was made. */
  readonly probes: readonly number[];
  readonly maximumMiB: number;
}

/** Makes checkpoints of a log with many wallets beside a partner that calls the API, and fetches proofs of an entry from them. */
export const checkpoint: Scenario = {
  name: 'checkpoint',
  description: 'a signed checkpoint of a log with 100 thousand wallets beside a serving API, and inclusion proofs from it',
  run: async (bench) => {
    await bench.closeEnvironment();
    const wallets = bench.size(100_000, 5_000);
    const heaps = new Heaps(bench.cleanUp.folder());
    const service = await startService(bench.cleanUp, heaps.options);
    const { key } = await createPartner(service, 'Bench');
    bench.say(`filling ${wallets} wallets`);
    await run(bench.cleanUp, process.execPath, [
      compiled('bench/workers/fill-wallets.js'),
      '--url',
      service.stores.eventStoreUrl,
      '--wallets',
      String(wallets),
    ]);
    await until(() => showsAll(service), CATCHING_UP);
    // The first checkpoint of the process reads the whole log.
    await admin(service, 'POST', '/checkpoints');
    const rounds: Round[] = [];
    const collected: (readonly [round: number, MiB: number])[] = [];
    const count = bench.rounds(8, 4);
    for (let round = 0; round < count; round += 1) {
      const measured = await bench.measureUndisturbed(() => makeBeside(service, key));
      rounds.push(measured);
      collected.push([round, await collectedMiB(service, heaps)]);
      bench.say(
        `round ${round + 1} of ${count}: ${measured.seconds.toFixed(1)} s, p99 ${p99(measured.probes).toFixed(0)} ms beside it, ${(collected.at(-1)?.[1] ?? 0).toFixed(0)} MiB after garbage collection; ${heaps
          .read()
          .map(({ thread, usedMiB }) => `${thread} ${usedMiB.toFixed(0)}`)
          .join(', ')}`,
      );
    }
    const proofs = await proofTimes(bench, service, key);
    await service.stop();
    const label = `checkpoint of a log with ${wallets.toLocaleString('en')} wallets`;
    const alone = { baseline: '', theirs: [] };
    return {
      figures: [
        { label, ...alone, unit: 's', ours: rounds.map(({ seconds }) => seconds), goal: { of: 'value', max: 10 } },
        { label: '… p99 latency of another call meanwhile', ...alone, unit: 'ms', ours: rounds.map(({ probes }) => p99(probes)) },
        {
          label: `… memory growth over ${count} checkpoints, after garbage collection`,
          ...alone,
          unit: 'MiB',
          ours: [slopeOnceFilled(collected) * count],
          goal: { of: 'value', max: 16 },
        },
        { label: '… maximum memory of the service meanwhile', ...alone, unit: 'MiB', ours: rounds.map(({ maximumMiB }) => maximumMiB) },
        { label: 'inclusion proof', ...alone, unit: 'ms', ours: proofs, goal: { of: 'value', max: 10 } },
        { label: '… p99', ...alone, unit: 'ms', ours: [p99(proofs)] },
      ],
    };
  },
};

/** The service is ready while it lags a little, but a checkpoint waits until the read models show the whole log. */
async function showsAll(service: BenchService): Promise<boolean> {
  const { projections } = await admin<{ projections: readonly { lag: number }[] }>(service, 'GET', '/projections');
  return projections.every(({ lag }) => lag === 0);
}

async function makeBeside(service: BenchService, key: string): Promise<Round> {
  const probes: number[] = [];
  let maximumMiB = 0;
  const began = performance.now();
  const making = new AbortController();
  const made = admin(service, 'POST', '/checkpoints').finally(() => {
    making.abort();
  });
  while (!making.signal.aborted) {
    const asked = performance.now();
    await call(service, 'GET', '/v1/rupa/wallet/head', { 'X-API-KEY': key });
    probes.push(performance.now() - asked);
    maximumMiB = Math.max(maximumMiB, memoryOf(service.pid)?.anonymousMiB ?? 0);
    await delay(PROBE_EVERY_MS, undefined, { signal: making.signal }).catch(() => undefined);
  }
  await made;
  return { seconds: (performance.now() - began) / 1_000, probes, maximumMiB };
}

/** Returns the milliseconds of calls for the proof of the partner's last entry. */
async function proofTimes(bench: Bench, service: BenchService, key: string): Promise<number[]> {
  return await bench.measureUndisturbed(async () => {
    const times: number[] = [];
    for (let index = 0; index < PROOFS; index += 1) {
      const asked = performance.now();
      await call(service, 'GET', '/v1/rupa/wallet/proof', { 'X-API-KEY': key });
      times.push(performance.now() - asked);
    }
    return times;
  });
}

async function collectedMiB(service: BenchService, heaps: Heaps): Promise<number> {
  await heaps.collectGarbage();
  return memoryOf(service.pid)?.anonymousMiB ?? 0;
}

function p99(values: readonly number[]): number {
  return percentile([...values], 0.99);
}
