/** The part of the wallet context that other contexts may import. */
export { Charges, ChargeUncertain } from './charges.js';
export { CreditWallet } from './credit-wallet.command.js';
export { CreditDto } from './wallet.dto.js';
export { GetWalletBalance } from './get-wallet-balance.query.js';
export { LEASE_SECONDS } from './domain/charge-outcome.js';
export { type ChainHead } from './domain/verify-wallet.js';
export { VerifyWallet } from './verify-wallet.query.js';
export { walletRejectionResponses } from './rejection-responses.js';
