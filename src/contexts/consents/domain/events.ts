export type ConsentEvent = {
  readonly type: 'ConsentReleased';
  readonly data: {
    readonly partner_id: string;
    readonly rupa_id: string;
    /** Identifies the released consent: the revision of the wallet's debit that granted it. */
    readonly granted_revision: number;
    /** ISO 8601, UTC. */
    readonly recorded_at: string;
    readonly actor: string;
  };
};
