import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** Callers match on these codes, so they must not change. */
export type CheckpointRejectionCode = 'checkpoint_unknown' | 'checkpoint_superseded' | 'checkpoint_contradicted';
export class CheckpointRejection extends Rejection<CheckpointRejectionCode> {}
