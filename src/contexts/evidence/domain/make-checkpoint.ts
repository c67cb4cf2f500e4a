import { type Decider, Rejection } from '../../../platform/event-sourcing/decider.js';
import { type CheckpointKeyIssued, type CheckpointLeavesEvent, type CheckpointMade } from './events.js';

/** Callers match on these codes, so they must not change. */
export type CheckpointRejectionCode = 'checkpoint_unknown' | 'checkpoint_superseded' | 'checkpoint_contradicted';
export class CheckpointRejection extends Rejection<CheckpointRejectionCode> {}

export type MakeCheckpoint = CheckpointMade['data'];

export interface LastCheckpoint {
  /** 0 before the first. */
  readonly number: number;
  readonly recorded_at: string;
}

/** Rejects a checkpoint that does not follow the last one, because another process made one in the meantime. */
export const checkpointDecider: Decider<LastCheckpoint, MakeCheckpoint, CheckpointMade> = {
  initialState: { number: 0, recorded_at: '' },
  decide: (command, { number, recorded_at }) => {
    if (command.number !== number + 1 || command.recorded_at < recorded_at) throw new CheckpointRejection('checkpoint_superseded');
    return [{ type: 'CheckpointMade', data: command }];
  },
  evolve: (_state, { data: { number, recorded_at } }) => ({ number, recorded_at }),
};

/** Records every page and index. The stream has one writer, and nothing refers to it before it is complete. */
export const leavesDecider: Decider<null, CheckpointLeavesEvent, CheckpointLeavesEvent> = {
  initialState: null,
  decide: (event) => [event],
  evolve: (state) => state,
};

export type IssueKey = CheckpointKeyIssued['data'];

/** Issues the next key. Does nothing for the current one, which several processes may issue at the same time. */
export const checkpointKeyDecider: Decider<IssueKey | null, IssueKey, CheckpointKeyIssued> = {
  initialState: null,
  decide: (command, last) => {
    const { number = 0, verifier_key } = last ?? {};
    if (command.verifier_key === verifier_key) return [];
    if (command.number !== number + 1) throw new CheckpointRejection('checkpoint_superseded');
    return [{ type: 'CheckpointKeyIssued', data: command }];
  },
  evolve: (_state, { data }) => data,
};
