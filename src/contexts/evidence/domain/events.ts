/** A checkpoint of the log, in the stream `checkpoints-main`: the checkpoint of number N has the revision N - 1. */
export type CheckpointSigned = {
  readonly type: 'CheckpointSigned';
  readonly data: {
    readonly number: number;
    /** Number of events of the log that it covers. */
    readonly tree_size: number;
    /** Root of the tree over them, in base64. */
    readonly root: string;
    /** The signed note, as it is published. */
    readonly note: string;
    /** ISO 8601, UTC; never earlier than that of the previous checkpoint. */
    readonly recorded_at: string;
    readonly actor: string;
  };
};

/**
 * A checkpoint over the heads of all wallets, which the service made in the same stream before the tree of the log. It is neither shown nor
 * verified any more
 * (docs/adr/0040).
 */
export type CheckpointMade = {
  readonly type: 'CheckpointMade';
  readonly data: CheckpointSigned['data'] & {
    /** Id of the stream that holds the leaves of the tree. */
    readonly leaves_id: string;
  };
};

/** The events of a stream `checkpoint_leaves-<id>`, which the service wrote then: the pages of a tree over heads, and their index. */
type CheckpointLeavesEvent =
  | {
      readonly type: 'CheckpointPageRecorded';
      readonly data: { readonly page: number; readonly leaves: readonly string[]; readonly recorded_at: string };
    }
  | {
      readonly type: 'CheckpointPagesIndexed';
      readonly data: {
        readonly pages: readonly { readonly first_partner_id: string; readonly root: string }[];
        readonly recorded_at: string;
      };
    };

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

/**
 * A new log begins, because the log lacks events that a checkpoint covers, or has others in their place. In the stream `log-main`. The next
 * key has the new origin as its name (docs/adr/0046).
 */
export type LogAdopted = {
  readonly type: 'LogAdopted';
  readonly data: {
    /** Origin of the checkpoints from then on. */
    readonly origin: string;
    /** The newest checkpoint of the former log that is known. */
    readonly former_note: string;
    /** The verifier key of its signature, which may be among what was lost. */
    readonly former_key: string;
    /** Number of its events that the log lacks or has others in place of; null if that is not known. */
    readonly lost_events: number | null;
    /** Says whose loss it was. */
    readonly reason: string;
    readonly recorded_at: string;
    readonly actor: string;
  };
};

export type CheckpointEvent = CheckpointSigned | CheckpointMade | CheckpointLeavesEvent | CheckpointKeyIssued | LogAdopted;
