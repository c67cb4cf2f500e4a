import { setTimeout as delay } from 'node:timers/promises';
import { type Bench, type Scenario } from '../bench.js';
import { createPartners, type Partner, untilCaughtUp } from '../environment/calls.js';
import { importFarmers } from '../environment/farmers.js';
import { fillWallet } from '../environment/filled-wallet.js';
import { openStoresOf } from '../environment/opened-stores.js';
import { type BenchService, startService } from '../environment/service-process.js';
import { Heaps } from '../support/heaps.js';
import { HAS_PROC, memoryOf } from '../support/proc.js';
import { slopeOnceFilled } from '../support/statistics.js';

const COLLECT_EVERY_MS = 1_000;
/** Allowed growth of the service’s memory during half of the export, which has hundreds of MiB. */
const MAX_GROWTH_MIB = 16;
const MEBIBYTE = 1_024 ** 2;

interface Exported {
  readonly seconds: number;
  readonly lines: number;
  readonly MiB: number;
  /** Anonymous memory of the service while it was sent, after each garbage collection: uncollected garbage comes in waves. */
  readonly memoryMiB: readonly (readonly [seconds: number, MiB: number])[];
  readonly maxMiB: number;
}

/** Checks that the memory of an export does not depend on the number of entries. */
export const walletExport: Scenario = {
  name: 'wallet-export',
  description: 'export of a wallet with 1 million entries over HTTP, and the memory of the service meanwhile',
  run: async (bench) => {
    if (!HAS_PROC) return { figures: [], notes: ['not measured, because this system has no /proc with the memory of processes'] };
    await bench.closeEnvironment();
    const entries = bench.size(1_000_000, 50_000);
    const { service, partner, heaps } = await prepare(bench, entries);
    // Native memory outside the threads' heaps grows during a first export and not during later ones, so growth is judged from the second on.
    const first = await exportWallet(service, partner, heaps);
    bench.say(`first export: memory from ${describe(first.memoryMiB.at(0))} to ${describe(first.memoryMiB.at(-1))}`);
    const rounds: Exported[] = [];
    for (let round = 0; round < bench.rounds(3, 1); round += 1) {
      await heaps.collectGarbage();
      const exported = await bench.measure(() => exportWallet(service, partner, heaps));
      if (exported.lines < entries) throw new Error(`The export has ${exported.lines} lines instead of ${entries}.`);
      bench.say(
        `${exported.lines} lines, ${exported.MiB.toFixed(0)} MiB in ${exported.seconds.toFixed(1)} s, memory ${describe(exported.memoryMiB.at(-1))}`,
      );
      rounds.push(exported);
    }
    await service.stop();
    const label = `export of ${entries.toLocaleString('en')} entries`;
    const own = { baseline: '', theirs: [] };
    return {
      figures: [
        { ...own, label, unit: 'entries/s', ours: rounds.map(({ lines, seconds }) => lines / seconds) },
        {
          ...own,
          label: '… memory growth during half of it, after a first export: service, after garbage collection',
          unit: 'MiB',
          ours: rounds.map(({ memoryMiB, seconds }) => (slopeOnceFilled(memoryMiB) * seconds) / 2),
          goal: { of: 'value', max: MAX_GROWTH_MIB },
        },
        { ...own, label: '… maximum memory of the service', unit: 'MiB', ours: rounds.map(({ maxMiB }) => maxMiB) },
      ],
      series: [
        {
          title: 'Memory during the export of a wallet',
          x: 'seconds',
          y: 'MiB',
          lines: [first, ...rounds].map(({ memoryMiB }, index) => ({ name: `export ${index + 1}`, points: memoryMiB })),
        },
      ],
    };
  },
};

function describe(sample: readonly [seconds: number, MiB: number] | undefined): string {
  return sample ? `${sample[1].toFixed(0)} MiB` : 'not sampled';
}

async function prepare(bench: Bench, entries: number): Promise<{ service: BenchService; partner: Partner; heaps: Heaps }> {
  const { cleanUp } = bench;
  bench.say(`filling a wallet with ${entries} entries`);
  const dataDir = cleanUp.folder();
  const first = await startService(cleanUp, { dataDir });
  const [farmer = ''] = await importFarmers(cleanUp, dataDir, 1);
  const [partner] = (await createPartners(first, 1)) as [Partner];
  await untilCaughtUp(first);
  await first.stop();
  const { stores, stop } = await openStoresOf(cleanUp, dataDir);
  await fillWallet(cleanUp, stores.eventStoreUrl, { partner, farmer, entries });
  await stop();
  bench.say('waiting for the read models to catch up');
  const heaps = new Heaps(cleanUp.folder());
  const service = await startService(cleanUp, { dataDir, ...heaps.options });
  await untilCaughtUp(service);
  return { service, partner, heaps };
}

async function exportWallet(service: BenchService, { partner_id }: Partner, heaps: Heaps): Promise<Exported> {
  const memoryMiB: (readonly [seconds: number, MiB: number])[] = [];
  const ending = new AbortController();
  const began = performance.now();
  let maxMiB = 0;
  const sample = (): number => {
    const { anonymousMiB = 0 } = memoryOf(service.pid) ?? {};
    maxMiB = Math.max(maxMiB, anonymousMiB);
    return anonymousMiB;
  };
  const sampling = (async () => {
    while (await delay(COLLECT_EVERY_MS, true, { signal: ending.signal }).catch(() => false)) {
      sample();
      await heaps.collectGarbage();
      memoryMiB.push([(performance.now() - began) / 1_000, sample()]);
    }
  })();
  const headers = { Authorization: `Bearer ${service.adminToken}` };
  const response = await fetch(`${service.url}/admin/v1/partners/${partner_id}/wallet/export`, { headers });
  if (!response.ok || !response.body) throw new Error(`The export got ${response.status}.`);
  let [lines, bytes] = [0, 0];
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  const seconds = (performance.now() - began) / 1_000;
  ending.abort();
  await sampling;
  return { seconds, lines, MiB: bytes / MEBIBYTE, memoryMiB, maxMiB };
}
