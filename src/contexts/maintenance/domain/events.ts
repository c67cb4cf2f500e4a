interface Recorded {
  readonly recorded_at: string;
  readonly actor: string;
}

/** Events of the stream `maintenance-main`. */
export type MaintenanceEvent =
  | {
      readonly type: 'MaintenanceBegun';
      readonly data: Recorded & {
        /** Shown to every caller whose call is refused. */
        readonly reason: string;
        /** ISO 8601, UTC; absent if it lasts until somebody ends it. */
        readonly until?: string;
      };
    }
  | { readonly type: 'MaintenanceEnded'; readonly data: Recorded };
