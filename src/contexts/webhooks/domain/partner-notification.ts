/** A notification for one partner alone, whatever its consents: of its balance, or a test that it asked for. Times are ISO 8601, UTC. */
export interface PartnerNotification {
  readonly event_id: string;
  readonly partner_id: string;
  readonly type: string;
  readonly rupa_id: string | null;
  readonly event: string | null;
  readonly occurred_at: string | null;
  readonly recorded_at: string;
  /** Position in `$all`, as a decimal number. */
  readonly sequence: string;
  /** `data` of the body, or the fields to add to it if the notification is about a farmer. */
  readonly data: object;
}
