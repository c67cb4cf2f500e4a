/** The log was moved to the event store that has this event, in the stream `log-main` (docs/adr/0011). */
export type LogMoved = {
  readonly type: 'LogMoved';
  readonly data: {
    /** Number of leaves of the tree of the log that were moved. They are the events before this one. */
    readonly events: number;
    /** ISO 8601, UTC; never earlier than that of the event before. */
    readonly recorded_at: string;
    readonly actor: string;
  };
};
