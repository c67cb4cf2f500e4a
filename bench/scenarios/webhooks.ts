import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Scenario } from '../bench.js';
import { type CleanUp } from '../support/clean-up.js';
import { compiled, run, startServer } from '../support/child-programs.js';
import { alternating } from '../support/statistics.js';
import { call, createPartners, lookUp, type Partner, untilCaughtUp } from '../environment/calls.js';
import { writeCheckpoints } from '../environment/database.js';
import { importFarmers } from '../environment/farmers.js';
import { type BenchService, startService } from '../environment/service-process.js';

/** Partners with an endpoint and a consent for the farmer, so that each report notifies all of them. */
const PARTNERS = 64;
const CONCURRENT_REPORTS = 8;
const POLL_MS = 100;
const GIVE_UP_MS = 180_000;
/** Settings that allow endpoints on this machine. Endpoints of sandbox partners may use plain HTTP. */
const ENV = { WEBHOOK_ALLOW_PRIVATE_NETWORKS: 'true', WEBHOOK_ALLOW_ANY_PORT: 'true' };

type Side = 'service' | 'undici';

export const webhooks: Scenario = {
  name: 'webhooks',
  description: 'webhook deliveries, compared with bare undici posting to the same receiver',
  run: async (bench) => {
    const { cleanUp } = bench;
    await bench.closeEnvironment();
    const receiver = await startReceiver(cleanUp);
    const { service, partners, farmer } = await prepare(cleanUp, receiver.url);
    const count = bench.size(20_000, 3_000);
    const reports = Math.ceil(count / PARTNERS);
    const send: Readonly<Record<Side, () => Promise<unknown>>> = {
      service: () => report(service, partners, farmer, reports),
      undici: () =>
        run(cleanUp, process.execPath, [compiled('bench/workers/poster.js'), '--url', receiver.url, '--count', String(reports * PARTNERS)]),
    };
    const measured: Record<Side, number[]> = { service: [], undici: [] };
    const rounds = bench.rounds(4, 2);
    for (const [round, order] of alternating<Side>(['service', 'undici'], rounds + 1).entries()) {
      for (const side of order) {
        await writeCheckpoints([service.stores.databaseUrl]);
        const perSecond = await bench.measure(() => receive(receiver.url, reports * PARTNERS, send[side]));
        // The first round is the warm-up of both sides.
        if (round > 0) measured[side].push(perSecond);
        bench.say(`${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}, ${side}: ${Math.round(perSecond)} deliveries/s`);
      }
    }
    await service.stop();
    await receiver.stop();
    return {
      figures: [
        {
          label: 'webhook deliveries',
          baseline: 'bare undici',
          unit: '/s',
          ours: measured.service,
          theirs: measured.undici,
          goal: { of: 'ratio', min: 0.5 },
        },
      ],
    };
  },
};

async function startReceiver(cleanUp: CleanUp): Promise<{ url: string; stop: () => Promise<void> }> {
  const log = join(cleanUp.folder(), 'receiver.log');
  const { found, stop } = await startServer(cleanUp, {
    args: [compiled('bench/workers/receiver.js')],
    env: {},
    signal: 'SIGTERM',
    ready: /receiver listening on (\d+)/,
    log,
  });
  return { url: `http://127.0.0.1:${found}/hook`, stop };
}

async function prepare(cleanUp: CleanUp, url: string): Promise<{ service: BenchService; partners: readonly Partner[]; farmer: string }> {
  const service = await startService(cleanUp, { env: ENV });
  const [farmer = ''] = await importFarmers(cleanUp, service.dataDir, 1, { mode: 'sandbox' });
  const partners = await createPartners(service, PARTNERS, 'sandbox');
  for (const [index, { key }] of partners.entries()) {
    await lookUp(service, key, farmer);
    await call(service, 'POST', '/v1/rupa/webhooks', { 'X-API-KEY': key }, { url: `${url}/${index}` });
  }
  await untilCaughtUp(service);
  return { service, partners, farmer };
}

async function report(service: BenchService, [partner]: readonly Partner[], rupa_id: string, count: number): Promise<void> {
  let left = count;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const body = {
        rupa_id,
        event: 'loan_disbursed',
        amount: 150_000,
        partner_reference: `${Date.now()}-${left}`,
        occurred_at: '2026-03-02T09:00:00Z',
      };
      await call(service, 'POST', '/v1/rupa/report', { 'X-API-KEY': partner?.key ?? '' }, body);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_REPORTS }, work));
}

/** Sends, and returns the deliveries per second by the receiver's clock. @throws Error if some do not arrive or some arrive twice. */
async function receive(url: string, count: number, send: () => Promise<unknown>): Promise<number> {
  await fetch(url, { method: 'DELETE' });
  await send();
  const deadline = Date.now() + GIVE_UP_MS;
  for (;;) {
    const pace = (await (await fetch(url)).json()) as { count: number; perSecond: number };
    if (pace.count > count) throw new Error(`The receiver got ${pace.count} notifications instead of ${count}.`);
    if (pace.count === count) return pace.perSecond;
    if (Date.now() > deadline) throw new Error(`The receiver got only ${pace.count} of ${count} notifications.`);
    await delay(POLL_MS);
  }
}
