/** A checkpoint of all wallets, in the stream `checkpoints-main`: the checkpoint of number N has the revision N - 1. */
export type CheckpointMade = {
  readonly type: 'CheckpointMade';
  readonly data: {
    readonly number: number;
    /** Number of wallets that have entries. */
    readonly tree_size: number;
    /** Root of the tree over their heads, in base64. */
    readonly root: string;
    /** The signed note, as it is published. */
    readonly note: string;
    /** Id of the stream that holds the leaves of the tree. */
    readonly leaves_id: string;
    /** ISO 8601, UTC; never earlier than that of the previous checkpoint. */
    readonly recorded_at: string;
    readonly actor: string;
  };
};

/** The events of a stream `checkpoint_leaves-<id>`: the pages of a tree, in order, and then their index. */
export type CheckpointLeavesEvent =
  | {
      readonly type: 'CheckpointPageRecorded';
      readonly data: {
        readonly page: number;
        /** Up to {@link PAGE_LEAVES} leaves, exactly as they are hashed, sorted by partner id. */
        readonly leaves: readonly string[];
        readonly recorded_at: string;
      };
    }
  | {
      readonly type: 'CheckpointPagesIndexed';
      readonly data: { readonly pages: readonly PageEntry[]; readonly recorded_at: string };
    };

/** A page in the index of a tree. */
export interface PageEntry {
  readonly first_partner_id: string;
  /** Root of the subtree over the page's leaves, in base64. */
  readonly root: string;
}

/** A key that signs checkpoints from then on, in the stream `checkpoint_keys-main`. Its private half is in the key store. */
export type CheckpointKeyIssued = {
  readonly type: 'CheckpointKeyIssued';
  readonly data: {
    readonly number: number;
    /** Origin of the checkpoints that the key signs. */
    readonly name: string;
    /** The verifier key of a signed note: name, id and public key. */
    readonly verifier_key: string;
    readonly recorded_at: string;
    readonly actor: string;
  };
};

export type CheckpointEvent = CheckpointMade | CheckpointLeavesEvent | CheckpointKeyIssued;

/** Leaves in a page. A power of two, so that the tree over all leaves is the tree over the roots of the pages. */
export const PAGE_LEAVES = 256;
