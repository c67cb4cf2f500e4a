import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** Codes are stable. */
export type WalletRejectionCode = 'insufficient_balance' | 'reference_reused' | 'credit_history_moved' | 'balance_limit';
export const WalletRejection = Rejection<WalletRejectionCode>;
