import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** Callers match on these codes, so they must not change. */
export type StatementRejectionCode = 'statement_unknown';
export class StatementRejection extends Rejection<StatementRejectionCode> {}
