import { sql } from 'kysely';
import { type ClientBase, type Pool } from 'pg';
import { rowsOf, statementsOn } from '../../src/platform/database/typed-sql.js';
import { type WebhookEndpointRow } from './webhook-endpoint.projection.js';

/** Columns of the operational tables of deliveries (src/stores/migrations.ts). */
interface DeliveryTables {
  readonly 'ops.webhook_delivery': { readonly endpoint_id: number; readonly status: string; readonly next_attempt_at: string | null };
  readonly 'ops.webhook_health': { readonly endpoint_id: number; readonly failing_since: string };
}

const tables = statementsOn<DeliveryTables & { 'read.webhook_endpoint': WebhookEndpointRow }>();
const undeleted = tables.selectFrom('read.webhook_endpoint as e').where('e.status', '<>', 'deleted');

export type FoundEndpoint = Pick<WebhookEndpointRow, 'partner_id' | 'mode' | 'status' | 'replaced_secrets'>;

/** Returns an endpoint that is not deleted; with a partner, only if it is that partner's. */
export async function endpointById(
  client: Pool | ClientBase,
  endpointId: number,
  partnerId: string | undefined,
): Promise<FoundEndpoint | undefined> {
  const found = undeleted.select(['e.partner_id', 'e.mode', 'e.status', 'e.replaced_secrets']).where('e.endpoint_id', '=', endpointId);
  const [endpoint] = await rowsOf(client, partnerId === undefined ? found : found.where('e.partner_id', '=', partnerId));
  return endpoint;
}

/** Returns a partner's endpoints, or the one with the given id. */
export async function endpointsOf(pool: Pool, partnerId: string, endpointId: number | undefined) {
  return await rowsOf(
    pool,
    undeleted
      .select(['e.endpoint_id as id', 'e.url', 'e.name', 'e.events as subscribed_events'])
      .select(['e.status', 'e.disabled_reason', 'e.registered_at as created_at'])
      .where('e.partner_id', '=', partnerId)
      .$narrowType<{ status: 'enabled' | 'disabled' }>()
      .$if(endpointId !== undefined, (endpoints) => endpoints.where('e.endpoint_id', '=', endpointId ?? 0))
      .orderBy('e.endpoint_id'),
  );
}

/** Returns how many endpoints a partner has. */
export async function endpointCount(pool: Pool, partnerId: string): Promise<number> {
  const counted = undeleted.select(({ fn }) => fn.countAll<number>().as('count')).where('e.partner_id', '=', partnerId);
  return (await rowsOf(pool, counted))[0]?.count ?? 0;
}

export interface EndpointFilter {
  readonly partnerId?: string | undefined;
  readonly endpointId?: number | undefined;
  /** True: only endpoints whose attempts fail, or that were disabled for that; false: only the others. */
  readonly failing?: boolean | undefined;
}

/** An endpoint's health is forgotten when it is disabled; the reason of the disabling says the same. */
const IS_FAILING = sql<boolean>`(h.failing_since is not null or coalesce(e.disabled_reason, '') in ('failing', 'gone'))`;

/** Returns a page of endpoints, the one registered last first, with the state of their deliveries. */
export async function endpointsBefore(
  pool: Pool,
  { partnerId, endpointId, failing }: EndpointFilter,
  before: number | undefined,
  limit: number,
) {
  return await rowsOf(
    pool,
    undeleted
      .leftJoin('ops.webhook_health as h', 'h.endpoint_id', 'e.endpoint_id')
      .select(['e.endpoint_id as id', 'e.partner_id', 'e.url', 'e.name', 'e.events as subscribed_events', 'e.status'])
      .select(['e.disabled_reason', 'e.registered_at as created_at', 'h.failing_since'])
      .select((endpoint) => {
        const deliveries = endpoint
          .selectFrom('ops.webhook_delivery as w')
          .whereRef('w.endpoint_id', '=', 'e.endpoint_id')
          .select(endpoint.fn.countAll<number>().as('count'));
        return [
          deliveries.where('w.next_attempt_at', 'is not', null).$asScalar().$notNull().as('pending'),
          deliveries.where('w.status', '=', sql.lit('exhausted')).$asScalar().$notNull().as('exhausted'),
        ];
      })
      .$narrowType<{ status: 'enabled' | 'disabled' }>()
      .$if(partnerId !== undefined, (endpoints) => endpoints.where('e.partner_id', '=', partnerId ?? ''))
      .$if(endpointId !== undefined, (endpoints) => endpoints.where('e.endpoint_id', '=', endpointId ?? 0))
      .$if(failing !== undefined, (endpoints) => endpoints.where(IS_FAILING, '=', failing ?? false))
      .$if(before !== undefined, (endpoints) => endpoints.where('e.endpoint_id', '<', before ?? 0))
      .orderBy('e.endpoint_id', 'desc')
      .limit(limit),
  );
}
