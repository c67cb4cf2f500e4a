import { type WalletEvent } from '../contexts/wallet/domain/events.js';

/** Every type of wallet event, so that a new one does not compile without a name: wallets and lookups are listed and filtered by it. */
const WALLET_EVENTS: Readonly<Record<WalletEvent['type'], string>> = {
  WalletCredited: 'Credit',
  WalletDebited: 'Charge of a lookup',
  ConsentGranted: 'Consent granted',
  ChargesSettled: 'Charges settled',
  RefundIssued: 'Refund',
  CreditReversed: 'Reversal of a credit',
  WalletPaidOut: 'Payout',
  LookupCompensated: 'Compensation of a lookup',
};

/**
 * Names of sections, fees and other event types where their words alone do not say what they are. The name of every other term follows from its
 * words.
 */
const NAMES = new Map(
  Object.entries({
    bvn_nin_data: 'BVN and NIN',
    wallet: 'Farmer’s wallet',
    'passthrough.bvn': 'BVN check, passed on',
    'passthrough.nin': 'NIN check, passed on',
    'passthrough.credit_bureau': 'Credit bureau, passed on',
    vat_percent: 'VAT',
    ...WALLET_EVENTS,
    IdsReserved: 'Ids reserved',
    AdminCallBegun: 'Administrator’s call begun',
    AdminCallEnded: 'Administrator’s call ended',
    'webhook.test': 'Test of an endpoint',
  }),
);

const ABBREVIATION = /\b(?:api|bvn|nin|lga|kyc|gps|ip|ndvi|svc|vsla|dob|id)\b/g;
const PREFIX = /^(?:svc_fee|passthrough|farmer|account)\./;

/** Returns the name of a section, a fee, a field or an event type for people: `svc_fee.credit_history` is `Credit history`. */
export function nameOfTerm(term: string): string {
  const plain = term.replace(PREFIX, '');
  return NAMES.get(term) ?? NAMES.get(plain) ?? capitalized(wordsOf(plain));
}

/** Returns the names of a field and of the objects that contain it, in words. */
export function nameOfPath(path: readonly string[]): string {
  return capitalized(path.map(wordsOf).join(': '));
}

/** Returns a technical name in words: `date_of_birth` and `dateOfBirth` become `date of birth`. */
function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll(/[_.]/g, ' ')
    .toLowerCase()
    .replaceAll(ABBREVIATION, (word) => word.toUpperCase());
}

function capitalized(words: string): string {
  return `${words.slice(0, 1).toUpperCase()}${words.slice(1)}`;
}
