import { type Pool } from 'pg';
import { type ConsentKey, untrustedConsents } from '../../../../projections/consent-roster/consent-roster.reader.js';
import {
  webhookEndpointProjection,
  type WebhookEndpointRow,
} from '../../../../projections/webhook-endpoint/webhook-endpoint.projection.js';
import { genuineEndpoints } from '../../../../projections/webhook-endpoint/webhook-endpoint.reader.js';
import { type NewestRows } from '../../../platform/projecting/newest-rows.js';
import { type RowMacs } from '../../../platform/projecting/row-macs.js';
import { ERASED_TYPE } from '../domain/notification-types.js';
import { deliveryTable } from '../notifying/signed-rows.js';
import { type ClaimedDelivery } from './delivery-queue.js';
import { type Doubts } from './delivery-sender.js';

export interface DeliveryChecks {
  readonly pool: Pool;
  readonly macs: RowMacs;
  readonly newest: NewestRows;
  /** Returns whether the read models that say who holds a consent, and who was erased, may lack what was recorded long ago. */
  areOutdated(this: void): boolean;
}

/**
 * Returns those of the deliveries that must not be sent now: because their own MAC does not hold, or because a row that decides about their
 * address or their consent was not written by the projector, or is older than the endpoint's last event (evidence, "Where a table decides"),
 * or may be older than the end of a consent, as after a restore of an older database.
 * @throws HistoryMissing, EventSetAside and errors of both stores
 */
export async function doubtfulDeliveries(
  { pool, macs, newest, areOutdated }: DeliveryChecks,
  claimed: readonly ClaimedDelivery[],
): Promise<Doubts> {
  const forged = new Set(claimed.filter((delivery) => !macs.holds(deliveryTable, delivery)));
  const genuine = claimed.filter((delivery) => !forged.has(delivery));
  if (genuine.length === 0) return { forged, postponed: new Set() };
  const consents = genuine
    .filter(needsConsent)
    .flatMap(({ consented, partner_id, rupa_id }) => (consented ? [{ partner_id, rupa_id }] : []));
  const isOutdated = areOutdated();
  const [endpoints, untrusted] = await Promise.all([
    genuineEndpoints(pool, macs, [...new Set(genuine.map(({ endpoint_id }) => endpoint_id))]),
    untrustedConsents(pool, macs, consents),
  ]);
  const newestOnes = await Promise.all(
    endpoints.map(async (row) => {
      const ofStream = { table: webhookEndpointProjection.table, stream: `webhook-${row.endpoint_id}`, row };
      return (await newest.newer([ofStream])) ? [] : [row];
    }),
  );
  const trusted = new Map(newestOnes.flat().map((row) => [row.endpoint_id, row]));
  const postponed = genuine.filter(
    (delivery) =>
      !isOf(delivery, trusted.get(delivery.endpoint_id)) ||
      (isOutdated && needsConsent(delivery)) ||
      untrusted.some(({ partner_id, rupa_id }) => partner_id === delivery.partner_id && rupa_id === delivery.rupa_id),
  );
  return { forged, postponed: new Set(postponed) };
}

/** Returns whether a delivery is sent only with a consent. A partner's own events have data. Neither these nor erasures need one. */
function needsConsent(delivery: ClaimedDelivery): delivery is ClaimedDelivery & ConsentKey {
  const { rupa_id, type, data } = delivery;
  return rupa_id !== null && data === null && type !== ERASED_TYPE;
}

/** Returns whether the claim read the same row. */
function isOf(delivery: ClaimedDelivery, row: WebhookEndpointRow | undefined): boolean {
  return (
    row?.url === delivery.url &&
    row.partner_id === delivery.partner_id &&
    row.mode === delivery.mode &&
    row.secret_id === delivery.secret_id
  );
}
