/** An operator decided that an event that cannot be used is passed over, in the stream `operations-main` (docs/adr/0030). */
export type EventSkipped = {
  readonly type: 'EventSkipped';
  readonly data: {
    /** Identifies the skipped event: its id stays the same when the log is copied to another event store. */
    readonly event_id: string;
    readonly stream: string;
    readonly revision: number;
    /** Position of the event at that time, as decimal text. */
    readonly position: string;
    /** The operator's reason. */
    readonly reason: string;
    readonly recorded_at: string;
    readonly actor: string;
  };
};
