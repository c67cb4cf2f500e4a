import { Refusal } from '../../../platform/event-sourcing/decider.js';

/** Codes are stable. */
export type WalletRefusalCode = 'insufficient_balance' | 'reference_reused' | 'credit_history_moved' | 'balance_limit';
export const WalletRefusal = Refusal<WalletRefusalCode>;
