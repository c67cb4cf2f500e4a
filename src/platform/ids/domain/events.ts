/** Whose integer ids are counted. */
export const ID_KINDS = ['contribution', 'endpoint'] as const;
export type IdKind = (typeof ID_KINDS)[number];

export type LastIds = Readonly<Record<IdKind, number>>;

/** A block of ids that whoever appended this may give out; nobody else ever will. */
export type IdsEvent = {
  readonly type: 'IdsReserved';
  readonly data: {
    readonly kind: IdKind;
    readonly first_id: number;
    readonly last_id: number;
    /** The highest reserved id of every kind, so that the last event alone tells where the next block begins. */
    readonly last_ids: LastIds;
    /** ISO 8601, UTC. */
    readonly recorded_at: string;
    readonly actor: string;
  };
};
