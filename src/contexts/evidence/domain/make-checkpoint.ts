import { type Dated, type Decider, Rejection } from '../../../platform/event-sourcing/decider.js';
import { SHORT_STREAM, type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { type CheckpointKeyIssued, type CheckpointMade, type CheckpointSigned } from './events.js';

/** Callers match on these codes, so they must not change. */
export type CheckpointRejectionCode = 'checkpoint_unknown' | 'checkpoint_superseded' | 'checkpoint_contradicted' | 'checkpoint_key_lost';
export class CheckpointRejection extends Rejection<CheckpointRejectionCode> {}

export type SignCheckpoint = Dated & Omit<CheckpointSigned['data'], 'recorded_at'>;

export interface LastCheckpoint {
  /** 0 before the first. */
  readonly number: number;
  readonly recorded_at: string;
}

/** Rejects a checkpoint that does not follow the last one, because another process made one in the meantime. */
export const checkpointDecider: Decider<LastCheckpoint, SignCheckpoint, CheckpointSigned | CheckpointMade> = {
  initialState: { number: 0, recorded_at: '' },
  decide: ({ at, ...data }, { number, recorded_at }) => {
    if (data.number !== number + 1 || at < recorded_at) throw new CheckpointRejection('checkpoint_superseded');
    return [{ type: 'CheckpointSigned', data: { ...data, recorded_at: at } }];
  },
  evolve: (_state, { data: { number, recorded_at } }) => ({ number, recorded_at }),
};

export type IssuedKey = CheckpointKeyIssued['data'];
export type IssueKey = Dated & Omit<IssuedKey, 'recorded_at'>;

/** Issues the next key. Does nothing for the current one, which several processes may issue at the same time. */
export const checkpointKeyDecider: Decider<IssuedKey | null, IssueKey, CheckpointKeyIssued> = {
  initialState: null,
  decide: ({ at, ...data }, last) => {
    const { number = 0, verifier_key } = last ?? {};
    if (data.verifier_key === verifier_key) return [];
    if (data.number !== number + 1) throw new CheckpointRejection('checkpoint_superseded');
    return [{ type: 'CheckpointKeyIssued', data: { ...data, recorded_at: at } }];
  },
  evolve: (_state, { data }) => data,
};

/** Id of the only stream of checkpoints and of the only stream of their keys. */
export const MAIN = 'main';
export const CHECKPOINTS_STREAM = `checkpoints-${MAIN}`;
export const KEYS_STREAM = `checkpoint_keys-${MAIN}`;

/** The last event holds the whole state. */
const replayFrom = ({ revision }: { readonly revision: bigint }): bigint => revision;

export const CHECKPOINT_STREAMS: StreamKind<LastCheckpoint, SignCheckpoint, CheckpointSigned | CheckpointMade> = {
  ...SHORT_STREAM,
  category: 'checkpoints',
  decider: checkpointDecider,
  replayFrom,
};

export const CHECKPOINT_KEY_STREAMS: StreamKind<IssuedKey | null, IssueKey, CheckpointKeyIssued> = {
  ...SHORT_STREAM,
  category: 'checkpoint_keys',
  decider: checkpointKeyDecider,
  replayFrom,
};
