import { PRICE_BOOK_ID, PRICE_BOOK_STREAMS } from '../../src/contexts/pricing/domain/price-book.js';
import { PRICE_SCHEDULE_ID, PRICE_SCHEDULE_STREAMS } from '../../src/contexts/pricing/domain/price-schedule.js';
import { register } from '../support/evidence-events.js';
import { EvidenceHistory, type EvidenceLine } from '../support/evidence-history.js';
import { PARTNER, PRICES, SCHEDULED_PRICES } from './instance.js';
import { type World } from './world.js';

/** The partner and the prices are there so long before a history that no process' clock is before them. */
const BEFORE_MS = 600_000;

/**
 * Returns the evidence of a simulated history: the events that its processes appended, byte for byte, after the registration of the
 * partner and the publication and scheduling of prices, and with the entry of the audit trail that each of an administrator's events has.
 *
 * @param epochMs the time at which the history began, in milliseconds since 1970
 */
export async function evidenceOf(world: World, epochMs: number): Promise<readonly EvidenceLine[]> {
  const history = new EvidenceHistory();
  history.nowMs = epochMs - BEFORE_MS;
  await register(history, PARTNER.partner_id, 'live', 'admin');
  await history.as('admin', async (by) => {
    await history.decide(PRICE_BOOK_STREAMS, PRICE_BOOK_ID, { fees_kobo: PRICES.fees_kobo, vat_percent: PRICES.vat_percent, ...by });
    const { fees_kobo, vat_percent, effective_at } = SCHEDULED_PRICES;
    await history.decide(PRICE_SCHEDULE_STREAMS, PRICE_SCHEDULE_ID, { kind: 'schedule', fees_kobo, vat_percent, effective_at, ...by });
  });
  for (const { stream, id, type, data, metadata } of world.eventStore.log()) {
    history.nowMs = epochMs + (world.eventStore.created.get(id) ?? NaN);
    if (data.actor === 'admin') beginCall(history, metadata);
    history.append(stream, type, data, { ...metadata }, id);
  }
  return history.lines;
}

/** Appends the entry of the audit trail with which a call of an administrator begins. The simulation has no HTTP server that would. */
function beginCall(history: EvidenceHistory, { $correlationId }: { readonly $correlationId?: string }): void {
  const data = { role: 'admin', name: null, method: 'POST', route: '/admin/v1/wallets', parameters: {}, recorded_at: history.now };
  history.append(`admin_audit-${history.now.slice(0, 10)}`, 'AdminCallBegun', data, { $correlationId, schema_version: 1 });
}
