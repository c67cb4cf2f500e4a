/** The part of the wallet context that other contexts may import. */
export { type Charge, ChargeLookup, ChargeLookupHandler, ChargeUncertain } from './charge-lookup.command.js';
export { RefundCharge, RefundChargeHandler, SettleCharge } from './close-charge.command.js';
export { ChargesInHand } from './charges-in-hand.js';
export { CreditWallet } from './credit-wallet.command.js';
export { CreditDto } from './wallet.dto.js';
export { GetWalletBalance } from './get-wallet-balance.query.js';
export { lastEntryUpTo } from './last-entry.js';
export { LEASE_SECONDS } from './response-lease.js';
export { type ChainHead } from './domain/verify-wallet.js';
export { VerifyWallet } from './verify-wallet.query.js';
export { walletRejectionResponses } from './rejection-responses.js';
