/** Deliveries that a transaction of the subscriber should insert at most. A single event and the first events after a start may exceed it. */
export const DELIVERIES_PER_TRANSACTION = 5_000;

/** Returns how many notifying events the next transaction may take: as many as fit by the last one, but at most twice as many as before. */
export function nextPartSize(size: number, last: { readonly notifications: number; readonly deliveries: number }, max: number): number {
  if (last.notifications === 0) return size;
  const fitting = last.deliveries === 0 ? max : Math.floor((last.notifications * DELIVERIES_PER_TRANSACTION) / last.deliveries);
  return Math.max(1, Math.min(fitting, 2 * size, max));
}
