import { type ClientBase, type Pool } from 'pg';
import { columnsOf, rowsOf, statementsOn, textStatement } from '../../src/platform/database/typed-sql.js';
import { type RowMacs } from '../../src/platform/projecting/row-macs.js';
import { webhookEndpointProjection, type WebhookEndpointRow } from './webhook-endpoint.projection.js';

/** Columns of the operational tables of deliveries (src/stores/migrations.ts). */
interface DeliveryTables {
  readonly 'ops.webhook_delivery': { readonly endpoint_id: number; readonly status: string; readonly next_attempt_at: string | null };
  readonly 'ops.webhook_health': { readonly endpoint_id: number; readonly failing_since: string };
}

const tables = statementsOn<{ 'read.webhook_endpoint': WebhookEndpointRow }>();
const e = columnsOf<WebhookEndpointRow>('e');
const [d, h] = [columnsOf<DeliveryTables['ops.webhook_delivery']>('d'), columnsOf<DeliveryTables['ops.webhook_health']>('h')];
const undeleted = tables.selectFrom('read.webhook_endpoint as e').where('e.status', '<>', 'deleted');

export type FoundEndpoint = Pick<WebhookEndpointRow, 'partner_id' | 'mode' | 'status' | 'replaced_secrets'>;

/** Returns an endpoint that is not deleted; with a partner, only if it is that partner's. @throws RowForged */
export async function endpointById(
  client: Pool | ClientBase,
  macs: RowMacs,
  endpointId: number,
  partnerId: string | undefined,
): Promise<FoundEndpoint | undefined> {
  const found = undeleted.selectAll().where('e.endpoint_id', '=', endpointId);
  const [endpoint] = await rowsOf(client, partnerId === undefined ? found : found.where('e.partner_id', '=', partnerId));
  return endpoint && macs.genuine(webhookEndpointProjection.table, endpoint);
}

/** Returns those of the endpoints whose rows the projector wrote. */
export async function genuineEndpoints(pool: Pool, macs: RowMacs, endpointIds: readonly number[]): Promise<WebhookEndpointRow[]> {
  const found = await rowsOf(pool, tables.selectFrom('read.webhook_endpoint').selectAll().where('endpoint_id', 'in', endpointIds));
  return found.filter((endpoint) => macs.holds(webhookEndpointProjection.table, endpoint));
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

/** One of the filters is used. */
export interface EndpointFilter {
  readonly partnerId?: string | undefined;
  readonly endpointId?: number | undefined;
  /** True: only endpoints whose attempts fail, or that were disabled for that; false: only the others. */
  readonly failing?: boolean | undefined;
}

/** Deliveries of a state that are counted. An endpoint that is down may have any number of them. */
export const COUNTED_DELIVERIES = 1_000;
const counted = (state: string): string =>
  `(select count(*) from (select from ops.webhook_delivery d where ${d.endpoint_id} = ${e.endpoint_id} and ${state} limit ${COUNTED_DELIVERIES}) d)`;

const GIVEN_UP = `${e.disabled_reason} in ('failing', 'gone')`;
/** An endpoint's health is forgotten when it is disabled; the reason of the disabling says the same. */
const IS_FAILING = `(${h.failing_since} is not null or coalesce(${e.disabled_reason}, '') in ('failing', 'gone'))`;

/** Selects the endpoints of a page, which `chosen` selects with a limit. */
const watched = (
  chosen: string,
): string => `select ${e.endpoint_id} as id, ${e.partner_id}, ${e.url}, ${e.name}, ${e.events} as subscribed_events, ${e.status},
    ${e.disabled_reason}, ${e.registered_at} as created_at, ${h.failing_since},
    ${counted(`${d.next_attempt_at} is not null`)} as pending, ${counted(`${d.status} = 'exhausted'`)} as exhausted
  from (${chosen}) e left join ops.webhook_health h on ${h.endpoint_id} = ${e.endpoint_id} order by ${e.endpoint_id} desc`;

const ONE = `select * from read.webhook_endpoint e where ${e.endpoint_id} = $1 and ${e.status} <> 'deleted'`;
const BEFORE = `${e.endpoint_id} < $1::bigint and ${e.status} <> 'deleted'`;
const ALL = `select * from read.webhook_endpoint e where ${BEFORE} order by ${e.endpoint_id} desc limit $2`;
const OF_PARTNER = `select * from read.webhook_endpoint e
  where (${e.partner_id}, ${e.endpoint_id}) < ($3, $1::bigint) and ${e.partner_id} >= $3 and ${e.status} <> 'deleted'
  order by ${e.partner_id} desc, ${e.endpoint_id} desc limit $2`;
/** Few endpoints fail among many, so both kinds of them are found by indexes of their own. */
const FAILING = `select * from (
    (select e.* from ops.webhook_health h
      cross join lateral (select * from read.webhook_endpoint e where ${e.endpoint_id} = ${h.endpoint_id} and ${e.status} <> 'deleted' limit 1) e
      where ${h.endpoint_id} < $1::bigint order by ${h.endpoint_id} desc limit $2)
    union
    (select * from read.webhook_endpoint e where ${BEFORE} and ${GIVEN_UP} order by ${e.endpoint_id} desc limit $2)) e
  order by ${e.endpoint_id} desc limit $2`;
const NOT_FAILING = `select e.* from read.webhook_endpoint e left join ops.webhook_health h on ${h.endpoint_id} = ${e.endpoint_id}
  where ${BEFORE} and not ${IS_FAILING} order by ${e.endpoint_id} desc limit $2`;

export interface WatchedRow extends Pick<WebhookEndpointRow, 'partner_id' | 'url' | 'name' | 'disabled_reason'> {
  readonly id: number;
  readonly subscribed_events: readonly string[];
  readonly status: 'enabled' | 'disabled';
  readonly created_at: string;
  readonly failing_since: string | null;
  readonly pending: number;
  readonly exhausted: number;
}

/** Returns a page of endpoints, the one registered last first, with the state of their deliveries. */
export async function endpointsBefore(
  pool: Pool,
  { partnerId, endpointId, failing }: EndpointFilter,
  before: number | undefined,
  limit: number,
): Promise<WatchedRow[]> {
  if (endpointId !== undefined) return await rowsOf(pool, textStatement<WatchedRow>(watched(ONE), [endpointId]));
  const values = [before ?? Number.MAX_SAFE_INTEGER, limit];
  if (partnerId !== undefined) return await rowsOf(pool, textStatement<WatchedRow>(watched(OF_PARTNER), [...values, partnerId]));
  const chosen = failing === undefined ? ALL : failing ? FAILING : NOT_FAILING;
  return await rowsOf(pool, textStatement<WatchedRow>(watched(chosen), values));
}
