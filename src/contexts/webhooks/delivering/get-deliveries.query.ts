import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { Cursors, search } from '../../../http/validating/paging.js';
import { type Period } from '../../../http/validating/period-filter.js';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { RowMacs } from '../../../platform/projecting/row-macs.js';
import { EndpointFinder } from '../endpoints/endpoint-finder.js';
import { type Deliveries, type Delivery, DELIVERY_STATUSES, type DeliveryStatus } from '../endpoints/webhook-responses.dto.js';
import { ERASED_TYPE } from '../domain/notification-types.js';
import { type DeliveryContent, deliveryTable, signedDeliveryColumns } from '../notifying/signed-rows.js';
import { WebhookRejection } from '../domain/webhook.js';
import { type DeliveryRow } from './delivery-rows.js';
import { disclosureOf } from './disclosure.js';

const CURSORS = new Cursors('deliveries', 'time', 'integer');

type ShownColumn = Exclude<keyof Delivery, 'id' | 'event'> | 'delivery_id';

/** A delivery with what its MAC covers. */
export type StoredDelivery = Pick<DeliveryRow, ShownColumn | 'mac'> & DeliveryContent;

const COLUMNS = `w.delivery_id, w.created_at, w.status, w.attempt, w.response_status, w.duration_ms, w.error, w.attempted_at, w.next_attempt_at,
    ${signedDeliveryColumns('w')}`;

/** Returns what a partner sees of a delivery beside its body. */
export function deliveryOf(row: StoredDelivery): Pick<Delivery, keyof Delivery> {
  const { delivery_id, created_at, event_id, type, status, attempt, response_status, duration_ms, error, attempted_at, next_attempt_at } =
    row;
  return {
    id: delivery_id,
    created_at,
    event_id,
    event: type,
    status,
    attempt,
    response_status,
    duration_ms,
    error,
    attempted_at,
    next_attempt_at,
  };
}

/** Whether a delivery about a farmer is among those that the disclosure $9 names. */
const DISCLOSED = `case $9 when 'all' then true when 'erasure' then w.type = '${ERASED_TYPE}'
    else w.response_status is not null or w.data ->> 'test' = 'true' end`;

/**
 * Merges the newest $7 deliveries of each status in $2. An index holds those of a status in the order of the list, so a page reads no others,
 * however rare its status. They were queued from $3 on and before $4, and come after the cursor's delivery, which was queued at $5 and has
 * the id $6. Only those of the farmer $8 are selected with `ofFarmer`, as far as they are disclosed ($9).
 */
const page = (ofFarmer: boolean): string => {
  const [key, values] = ofFarmer
    ? [['w.endpoint_id', 'w.rupa_id', 'w.status'], '$1::bigint, $8::text, s.status']
    : [['w.endpoint_id', 'w.status'], '$1::bigint, s.status'];
  const sorted = [...key, 'w.created_at', 'w.delivery_id'];
  return `select ${COLUMNS}, to_char(w.created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as queued_at
    from unnest($2::text[]) s(status) cross join lateral (
      select * from ops.webhook_delivery w
      where (${sorted.join(', ')}) < (${values}, least($4::timestamptz, $5::timestamptz), case when $5::timestamptz < $4::timestamptz then $6::bigint else 0 end)
        and (${[...key, 'w.created_at'].join(', ')}) >= (${values}, $3::timestamptz)
        ${ofFarmer ? `and w.rupa_id is not null and ${DISCLOSED}` : ''}
      order by ${sorted.map((column) => `${column} desc`).join(', ')} limit $7) w
    order by w.created_at desc, w.delivery_id desc limit $7`;
};
const OF_ENDPOINT = page(false);
const OF_FARMER = page(true);

export interface DeliveryFilter extends Period {
  readonly status?: DeliveryStatus | undefined;
  readonly rupaId?: string | undefined;
  /** Type of the notification. */
  readonly event?: string | undefined;
}

/**
 * Lists an endpoint's deliveries, those that were queued last first.
 * @throws Rejection `webhook_unknown`
 * @throws ValidationFailed if the cursor is malformed; RowForged
 */
export class GetDeliveries extends Query<Deliveries> {
  constructor(
    readonly partnerId: string,
    readonly endpointId: number,
    readonly limit: number,
    readonly filter: DeliveryFilter = {},
    readonly cursor?: string,
  ) {
    super();
  }
}

@QueryHandler(GetDeliveries)
export class GetDeliveriesHandler implements IQueryHandler<GetDeliveries> {
  constructor(
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
    private readonly endpoints: EndpointFinder,
  ) {}

  async execute({ partnerId, endpointId, limit, filter, cursor }: GetDeliveries): Promise<Deliveries> {
    await this.endpoints.find(endpointId, partnerId);
    const { event } = filter;
    const read = async (after: Position | undefined, count: number): Promise<readonly Listed[]> =>
      await this.read(partnerId, endpointId, filter, after ?? ['infinity', 0], count);
    const begin = CURSORS.position(cursor);
    const { rows, searchedTo } =
      event === undefined
        ? { rows: await read(begin, limit + 1), searchedTo: undefined }
        : await search(read, ({ type }) => type === event, positionOf, begin, limit + 1);
    const { items, next_cursor } = CURSORS.page(rows, limit, positionOf);
    const next = next_cursor ?? (searchedTo ? CURSORS.at(searchedTo) : null);
    return { deliveries: items.map(deliveryOf), next_cursor: next };
  }

  private async read(
    partnerId: string,
    endpointId: number,
    { status, from = '-infinity', to = 'infinity', rupaId }: DeliveryFilter,
    after: Position,
    count: number,
  ): Promise<readonly Listed[]> {
    const values = [endpointId, status === undefined ? DELIVERY_STATUSES : [status], from, to, ...after, count];
    const found =
      rupaId === undefined ? (await this.pool.query<Listed>(OF_ENDPOINT, values)).rows : await this.ofFarmer(partnerId, rupaId, values);
    return found.map((row) => this.macs.genuine(deliveryTable, row));
  }

  private async ofFarmer(partnerId: string, rupaId: string, values: readonly unknown[]): Promise<readonly Listed[]> {
    const disclosure = await disclosureOf(this.pool, this.macs, partnerId, rupaId);
    return (await this.pool.query<Listed>(OF_FARMER, [...values, rupaId, disclosure])).rows;
  }
}

/** A delivery with its time in microseconds, which the cursor needs. */
type Listed = StoredDelivery & { readonly queued_at: string };
type Position = readonly [queuedAt: string, id: number];

function positionOf({ queued_at, delivery_id }: Listed): Position {
  return [queued_at, delivery_id];
}

/** @throws Rejection `delivery_unknown`; RowForged */
export async function readDelivery(pool: Pool, macs: RowMacs, endpointId: number, deliveryId: number): Promise<StoredDelivery> {
  const { rows } = await pool.query<StoredDelivery>(
    `select ${COLUMNS} from ops.webhook_delivery w where w.endpoint_id = $1 and w.delivery_id = $2`,
    [endpointId, deliveryId],
  );
  const [delivery] = rows;
  if (!delivery) throw new WebhookRejection('delivery_unknown');
  return macs.genuine(deliveryTable, delivery);
}
