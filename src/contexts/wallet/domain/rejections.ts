import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** Callers match on these codes, so they must not change. */
export type WalletRejectionCode =
  | 'insufficient_balance'
  | 'reference_reused'
  | 'credit_history_moved'
  | 'balance_limit'
  | 'credit_not_reversible'
  | 'lookup_unknown'
  | 'charge_open'
  | 'charge_refunded';
export class WalletRejection extends Rejection<WalletRejectionCode> {}
