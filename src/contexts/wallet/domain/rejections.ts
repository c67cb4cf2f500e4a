import { Rejection } from '../../../platform/event-sourcing/decider.js';

/** The codes are part of the API and must not change. */
export type WalletRejectionCode = 'insufficient_balance' | 'reference_reused' | 'credit_history_moved' | 'balance_limit';
export const WalletRejection = Rejection<WalletRejectionCode>;
