/** Kinds of resources with integer ids, each with a sequence of its own. */
export const ID_KINDS = ['contribution', 'endpoint'] as const;
export type IdKind = (typeof ID_KINDS)[number];

export type LastIds = Readonly<Record<IdKind, number>>;

/** Reserves a block of ids for the instance that appended the event. */
export type IdsEvent = {
  readonly type: 'IdsReserved';
  readonly data: {
    readonly kind: IdKind;
    readonly first_id: number;
    readonly last_id: number;
    /** The highest reserved id of every kind, so that the last event is enough to find the next block. */
    readonly last_ids: LastIds;
    /** ISO 8601, UTC. */
    readonly recorded_at: string;
    readonly actor: string;
  };
};
