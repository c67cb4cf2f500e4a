import { WEBHOOK_TABLES } from '../../src/contexts/webhooks/notifying/signed-rows.js';
import { type Bench } from '../bench.js';
import { compiled, run } from '../support/child-programs.js';
import { benchPartnerId } from '../support/partner-ids.js';
import { until } from '../support/until.js';
import { admin } from './calls.js';
import { query } from './database.js';
import { openStoresOf } from './opened-stores.js';
import { type BenchService, startService } from './service-process.js';
import { signRows } from './sign-rows.js';

/** Sizes of the world that the console shows in a measurement. */
export interface ConsoleWorld {
  readonly partners: number;
  /** Entries of all wallets. */
  readonly entries: number;
  /** Entries of the longest wallet, which belongs to {@link LONGEST_WALLET}. */
  readonly longest: number;
  readonly calls: number;
  readonly deliveries: number;
}

export const LONGEST_WALLET = benchPartnerId(0);

/** Events of the generated history, which has farmers, consents, reports and endpoints. */
const HISTORY_EVENTS = 100_000;
const CATCHING_UP = { everyMs: 500, giveUpMs: 900_000, otherwise: 'The read models did not catch up with the log within 15 minutes.' };

/** Deliveries of endpoints that are disabled, as many of each outcome as a service keeps; one in 64 still waits. */
const DELIVERIES = `insert into ops.webhook_delivery
    (event_id, endpoint_id, partner_id, type, recorded_at, status, attempt, next_attempt_at, attempted_at, response_status, duration_ms, created_at)
  select gen_random_uuid(), e.endpoint_id, e.partner_id, 'farmer.loan_added', at, outcome, 1 + n % 3,
    case when outcome = 'failed' then now() + interval '1 day' end, at, case outcome when 'delivered' then 200 else 503 end, 20, at
  from generate_series(1, $1::int) n
  cross join lateral (select now() - n * interval '1 minute' as at,
    case when n % 64 = 0 then 'failed' when n % 16 = 0 then 'exhausted' else 'delivered' end as outcome) o
  join (select endpoint_id, partner_id, row_number() over (order by endpoint_id desc) - 1 as place, count(*) over () as endpoints
        from read.webhook_endpoint where status <> 'deleted') e on e.place = case when n % 2 = 0 then 0 else n % e.endpoints end`;

/** Fills a log and starts a service on it, whose read models have caught up. */
export async function startOnConsoleWorld(bench: Bench, world: ConsoleWorld): Promise<BenchService> {
  const { cleanUp } = bench;
  const dataDir = cleanUp.folder();
  bench.say(`filling a log with ${world.partners} partners and ${world.entries} entries`);
  await run(cleanUp, process.execPath, [compiled('bench/demo-log/main.js'), '--events', String(HISTORY_EVENTS)], {
    env: { DATA_DIR: dataDir },
  });
  const { stores, stop } = await openStoresOf(cleanUp, dataDir);
  const { partners, entries, longest, calls } = world;
  const args = Object.entries({ url: stores.eventStoreUrl, partners, entries, longest, calls });
  await run(cleanUp, process.execPath, [
    compiled('bench/workers/fill-console.js'),
    ...args.flatMap(([name, value]) => [`--${name}`, String(value)]),
  ]);
  await stop();
  bench.say('waiting for the read models to catch up');
  const service = await startService(cleanUp, { dataDir });
  await until(() => showsAll(service), CATCHING_UP);
  const { databaseUrl } = service.stores;
  await query(databaseUrl, DELIVERIES, [world.deliveries]);
  for (const table of WEBHOOK_TABLES) await signRows(service.stores, table);
  // Autovacuum would collect the statistics some minutes later.
  await query(databaseUrl, 'analyze');
  return service;
}

async function showsAll(service: BenchService): Promise<boolean> {
  const { projections } = await admin<{ projections: readonly { lag: number }[] }>(service, 'GET', '/projections');
  return projections.length > 0 && projections.every(({ lag }) => lag === 0);
}
