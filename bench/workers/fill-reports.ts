import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { Appender } from '../demo-log/appender.js';
import { emptyHead, KINDS } from '../demo-log/kinds.js';
import { Round } from '../demo-log/round.js';
import { type Report } from '../../src/contexts/reports/domain/contribution.js';
import { createPool } from '../../src/platform/database/pool.js';
import { Codec } from '../../src/platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { DataKeys } from '../../src/platform/key-store/data-keys.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { eventCatalogue } from '../../src/stores/event-catalogue.js';
import { type StoreAddresses } from '../../src/stores/stores.js';

// Appends reports of loans to a log through the decider of contributions, equally many about each of some farmers, in turns.

/** Reports of one section of the log. Each has a stream of its own. */
const REPORTS_PER_ROUND = 1_000;
const YEAR_MS = 365 * 86_400_000;

const { values } = parseArgs({
  options: {
    partner: { type: 'string' },
    // Separated by commas.
    farmers: { type: 'string' },
    // Number of reports about each farmer.
    reports: { type: 'string' },
    // Number of the first contribution.
    first: { type: 'string' },
  },
});
const { partner: partner_id = '', farmers: ids = '', reports, first } = values;
const farmers = ids.split(',');
const total = farmers.length * Number(reports);
const begin = Date.now() - YEAR_MS;
const { eventStoreUrl, databaseUrl, masterKey } = JSON.parse(process.env.BENCH_STORES ?? '{}') as StoreAddresses;
const keys = new DataKeys(
  createPool(databaseUrl, 1, () => undefined),
  MasterKeys.parse(masterKey),
);
const codec = new Codec(eventCatalogue, keys);
const appender = new Appender(new EventStore(eventStoreUrl, { stallTimeoutMs: 60_000 }), () => undefined);
await keys.load(farmers);
for (let from = 0; from < total; from += REPORTS_PER_ROUND) await append(from, Math.min(total, from + REPORTS_PER_ROUND));
await appender.finish();
process.exit(0);

async function append(from: number, to: number): Promise<void> {
  const at = new Date().toISOString();
  const round = new Round(0, () => at);
  for (let number = from; number < to; number += 1) {
    const report = {
      contribution: loan(number),
      is_about_test_farmer: false,
      test_run: 0,
      occurred_at: timeOf(number),
      at,
      actor: 'bench',
    };
    const context = { correlationId: randomUUID(), mode: 'live' as const };
    round.decide(KINDS.contribution, `${partner_id}-${randomUUID()}`, emptyHead(KINDS.contribution), report, context);
  }
  for (const each of round.appends.values()) await appender.add({ ...each, events: await codec.encode(each.stream, each.events) });
}

function loan(number: number): Report['contribution'] {
  const rupa_id = farmers[number % farmers.length] ?? '';
  const by = { contribution_id: Number(first) + number, partner_id, account_type: 'bank' } as const;
  return { ...by, rupa_id, event: 'loan_disbursed', currency: 'NGN', amount_minor: 150_000_00, partner_reference: null, payload: null };
}

/** The loans are spread over the last year, the oldest first, so that each of them enters its farmer's list. */
function timeOf(number: number): string {
  return new Date(begin + Math.floor((number / total) * YEAR_MS)).toISOString();
}
