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
] as const;

/** Returns the columns with a table's alias, as in an SQL statement. */
export function notificationColumns(alias: string): string {
  return NOTIFICATION_COLUMNS.map((column) => `${alias}.${column}`).join(', ');
}
