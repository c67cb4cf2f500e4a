/** The part of the wallet context that other contexts may import. */
export { Charges, ChargeUncertain } from './charging/charges.js';
export { CompensateLookup } from './crediting/compensate-lookup.command.js';
export { CreditWallet } from './crediting/credit-wallet.command.js';
export { LEASE_SECONDS } from './domain/charge-outcome.js';
export { sumOfFees, totalOf } from './domain/wallet.js';
export { type LookupToCharge, WalletRejection } from './domain/wallet-command.js';
export { walletRejectionResponses } from './rejection-responses.js';
export { VerifyWallet } from './verifying/verify-wallet.query.js';
export { CHARGE_NOT_SETTLED, CompensatedLookup, LOOKUP_UNKNOWN } from './wallet-responses.dto.js';
export { CompensationDto, CreditDto } from './wallet.dto.js';
