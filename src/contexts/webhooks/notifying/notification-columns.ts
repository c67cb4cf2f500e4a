/** A row of ops.notification: an event that partners may be told of. */
export interface NotificationRow {
  readonly sequence: string;
  /** Position in $all; null if it is one of an earlier log. */
  readonly position: string | null;
  readonly event_id: string;
  /** The partner that it is for alone; null if it is for every partner with a consent for the farmer. */
  readonly partner_id: string | null;
  readonly type: string;
  readonly rupa_id: string | null;
  readonly event: string | null;
  readonly contribution_id: number | null;
  readonly occurred_at: string | null;
  readonly recorded_at: string;
  readonly data: object | null;
  readonly created_at: string;
  /** Covers the columns of `notificationTable` (signed-rows.ts). */
  readonly mac: string;
}

/** The columns that make the body of a notification: those of `ops.notification`, which its deliveries repeat. */
export const NOTIFICATION_COLUMNS = [
  'event_id',
  'type',
  'rupa_id',
  'event',
  'contribution_id',
  'occurred_at',
  'recorded_at',
  'sequence',
  'data',
] as const satisfies readonly (keyof NotificationRow)[];

/** Returns the columns with a table's alias, as in an SQL statement. */
export function notificationColumns(alias: string): string {
  return NOTIFICATION_COLUMNS.map((column) => `${alias}.${column}`).join(', ');
}
