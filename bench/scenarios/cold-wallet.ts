import { type Bench, type Scenario } from '../bench.js';
import { admin, createPartners, lookUp, type Partner, untilCaughtUp } from '../environment/calls.js';
import { fillWallet } from '../environment/filled-wallet.js';
import { importFarmers } from '../environment/farmers.js';
import { startService } from '../environment/service-process.js';
import { openStoresOf } from '../environment/opened-stores.js';

/** Lookups of another partner before the measurement, so that only the wallet is cold and not the process. */
const WARM_UP = 200;

interface Wallets {
  readonly dataDir: string;
  readonly farmer: string;
  readonly warm: Partner;
  readonly short: Partner;
  readonly long: Partner;
}

/** Checks that the time to load a wallet from the log does not depend on the number of its entries. */
export const coldWallet: Scenario = {
  name: 'cold-wallet',
  description: "a wallet's first lookup after a restart, with 1 million entries, compared with 1 thousand",
  run: async (bench) => {
    await bench.closeEnvironment();
    const [few, many] = [1_000, bench.size(1_000_000, 50_000)];
    const wallets = await prepare(bench, few, many);
    const [short, long]: [number[], number[]] = [[], []];
    const rounds = bench.rounds(7, 3);
    for (let round = 0; round < rounds; round += 1) {
      const service = await startService(bench.cleanUp, { dataDir: wallets.dataDir });
      await untilCaughtUp(service);
      const measure = async ({ key }: Partner, into: number[]): Promise<void> => {
        const began = performance.now();
        await lookUp(service, key, wallets.farmer);
        into.push(performance.now() - began);
      };
      // The warm-up is inside of the measurement, because two lookups alone are too short to measure the noise of the machine.
      await bench.measure(async () => {
        for (let count = 0; count < WARM_UP; count += 1) await lookUp(service, wallets.warm.key, wallets.farmer);
        if (round % 2 === 0) await measure(wallets.short, short);
        await measure(wallets.long, long);
        if (round % 2 === 1) await measure(wallets.short, short);
      });
      bench.say(`restart ${round + 1} of ${rounds}: ${(short.at(-1) ?? 0).toFixed(1)} ms and ${(long.at(-1) ?? 0).toFixed(1)} ms`);
      await service.stop();
    }
    const label = `first lookup after a restart, ${many.toLocaleString('en')} entries`;
    return {
      figures: [
        { label, baseline: `${few.toLocaleString('en')} entries`, unit: 'ms', ours: long, theirs: short, goal: { of: 'ratio', max: 1.5 } },
      ],
    };
  },
};

async function prepare(bench: Bench, few: number, many: number): Promise<Wallets> {
  const { cleanUp } = bench;
  bench.say(`filling wallets with ${few} and ${many} entries`);
  const dataDir = cleanUp.folder();
  const service = await startService(cleanUp, { dataDir });
  const [farmer = ''] = await importFarmers(cleanUp, dataDir, 1);
  const [warm, short, long] = (await createPartners(service, 3)) as [Partner, Partner, Partner];
  await untilCaughtUp(service);
  await service.stop();
  const { stores, stop } = await openStoresOf(cleanUp, dataDir);
  for (const [partner, entries] of [
    [short, few],
    [long, many],
  ] as const) {
    await fillWallet(cleanUp, stores.eventStoreUrl, { partner, farmer, entries });
  }
  await stop();
  bench.say('waiting for the read models to catch up');
  const restarted = await startService(cleanUp, { dataDir });
  await untilCaughtUp(restarted);
  // A wallet that the service would not accept makes the measurement worthless. Both wallets were filled in the same way.
  const { ok } = await admin<{ ok: boolean }>(restarted, 'GET', `/partners/${short.partner_id}/wallet/verification`);
  if (!ok) throw new Error('The verification of the filled wallet failed: fill-wallet.ts no longer writes what the service writes.');
  await restarted.stop();
  return { dataDir, farmer, warm, short, long };
}
