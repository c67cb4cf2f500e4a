import {
  Count,
  Decimal,
  EXAMPLE,
  Flag,
  Integer,
  Integers,
  ListOf,
  Naira,
  NairaByFee,
  Nested,
  OneOf,
  Schema,
  Text,
  Time,
} from '../../http/openapi/properties.js';
import { rejection } from '../../http/openapi/errors.js';
import { NEXT_CURSOR } from '../../http/validating/paging.js';
import { WALLET_EVENT_TYPES } from './domain/events.js';
import { WALLET_RULES, type WalletRule } from './domain/wallet-rules.js';
import { walletRejectionResponses } from './rejection-responses.js';

export const REFERENCE_REUSED = rejection(
  walletRejectionResponses.reference_reused,
  'ReferenceReused',
  'The reference was already used for another credit, a reversal or a payout.',
);
export const CREDIT_NOT_REVERSIBLE = rejection(
  walletRejectionResponses.credit_not_reversible,
  'CreditNotReversible',
  'The wallet has no such credit, or its balance or what is left of the credit is lower than the amount; or, without `data`, the reference was already used.',
  {
    schema: {
      type: 'object',
      required: ['reversible_amount'],
      properties: { reversible_amount: { type: 'number', description: 'What could be reversed, in NGN.' } },
    },
    example: { reversible_amount: 1200 },
    optional: true,
  },
);
export const PAYOUT_TOO_HIGH = rejection(
  walletRejectionResponses.payout_too_high,
  'PayoutTooHigh',
  'The balance is lower than the amount; or, without `data`, the reference was already used.',
  {
    schema: {
      type: 'object',
      required: ['available_amount'],
      properties: { available_amount: { type: 'number', description: 'The balance, in NGN.' } },
    },
    example: { available_amount: 1200 },
    optional: true,
  },
);
export const LOOKUP_UNKNOWN = rejection(walletRejectionResponses.lookup_unknown, 'LookupNotFound', 'No lookup with this id was charged.');
export const CHARGE_NOT_SETTLED = rejection(
  walletRejectionResponses.charge_refunded,
  'ChargeNotSettled',
  'The charge was refunded, or is neither settled nor refunded yet.',
);

@Schema('CreditedWallet', { balance: 148700, created: true })
export class CreditedWallet {
  @Decimal('NGN.') readonly balance: number;
  @Flag() readonly created: boolean;
}

@Schema('ReversedCredit', { balance: 147200, reversed: 1500, created: true })
export class ReversedCredit {
  @Decimal('NGN.') readonly balance: number;
  @Naira() readonly reversed: number;
  @Flag('False if the reference had already reversed the credit.') readonly created: boolean;
}

@Schema('Payout', { balance: 136700, created: true })
export class PaidOut {
  @Decimal('NGN.') readonly balance: number;
  @Flag('False if the reference had already paid out this amount.') readonly created: boolean;
}

@Schema('CompensatedLookup', { balance: 148830, amount: 130, created: true })
export class CompensatedLookup {
  @Decimal('NGN.') readonly balance: number;
  @Naira() readonly amount: number;
  @Flag('False if the lookup was compensated before.') readonly created: boolean;
}

@Schema('WalletBalance', { balance: 98700, revision: 17 })
export class WalletBalance {
  @Decimal('NGN.') readonly balance: number;
  @Count({ nullable: true }) readonly revision: number | null;
}

const ENTRY = {
  revision: 1,
  type: 'WalletDebited',
  recorded_at: '2026-03-09T14:30:00.000Z',
  amount: -130,
  balance_after: 98700,
  lookup_id: EXAMPLE.lookup_id,
  rupa_id: EXAMPLE.rupa_id,
  breakdown: { 'svc_fee.identity': 50, 'svc_fee.outstanding_loans': 80 },
  reason: null,
  reference: null,
  hash: EXAMPLE.hash,
};

@Schema('WalletEntry', ENTRY)
export class WalletEntryView {
  @Count() readonly revision: number;
  @OneOf(WALLET_EVENT_TYPES) readonly type: string;
  @Time() readonly recorded_at: string;
  @Decimal('Change of the balance, in NGN; negative for a charge.') readonly amount: number;
  @Decimal('NGN.') readonly balance_after: number;
  @Text({ nullable: true }) readonly lookup_id: string | null;
  @Text({ nullable: true }) readonly rupa_id: string | null;
  @NairaByFee({ nullable: true }) readonly breakdown: Readonly<Record<string, number>> | null;
  @Text({ nullable: true }) readonly reason: string | null;
  @Text({ nullable: true }) readonly reference: string | null;
  @Text('SHA-256 over the entry and the hash of the previous entry, in hex.') readonly hash: string;
}

const MANAGED_ENTRY = { ...ENTRY, actor: null };

/** An entry as administrators and auditors see it. Partners do not see who made one. */
@Schema('ManagedWalletEntry', MANAGED_ENTRY)
export class ManagedEntryView extends WalletEntryView {
  @Text({ description: 'Who made the entry; null for the entries of lookups.', nullable: true }) readonly actor: string | null;
}

@Schema('WalletEntries', { entries: [MANAGED_ENTRY], next: null })
export class WalletEntries {
  @ListOf(ManagedEntryView) readonly entries: readonly ManagedEntryView[];
  @Count({ description: 'Revision of the first entry of the next page, for `from`; null on the last page.', nullable: true })
  readonly next: number | null;
}

const PAST_BALANCE = { revision: 1, recorded_at: '2026-03-09T14:30:00.000Z', balance: 98700 };

@Schema('PastBalance', PAST_BALANCE)
export class PastBalance {
  @Count() readonly revision: number;
  @Time() readonly recorded_at: string;
  @Decimal('After the entry, in NGN.') readonly balance: number;
}

@Schema('WalletBalances', { balances: [PAST_BALANCE], every: 250 })
export class WalletBalances {
  @ListOf(PastBalance) readonly balances: readonly PastBalance[];
  @Count('Entries between two balances; 1 if there is one for every entry. The last entry of the period always has one.')
  readonly every: number;
}

const { hash, ...ENTRY_WITHOUT_HASH } = ENTRY;
const CHAINED_ENTRY = { ...ENTRY_WITHOUT_HASH, prev_hash: EXAMPLE.hash.replace(/^c0/, '7d'), hash };

@Schema('ChainedWalletEntry', CHAINED_ENTRY)
export class ChainedWalletEntryView extends WalletEntryView {
  @Text('Hash of the entry before; 64 zeros for the first entry.') readonly prev_hash: string;
}

@Schema('ChainedWalletEntries', { entries: [CHAINED_ENTRY], next_cursor: null })
export class ChainedWalletEntries {
  @ListOf(ChainedWalletEntryView) readonly entries: readonly ChainedWalletEntryView[];
  @Text(NEXT_CURSOR) readonly next_cursor: string | null;
}

@Schema('OwnWalletHead', { revision: 17, hash: EXAMPLE.hash, balance: 98700, recorded_at: '2026-03-09T14:30:00.000Z' })
export class OwnWalletHead {
  @Integer({ description: '-1 if the wallet has no entries.', minimum: -1 }) readonly revision: number;
  @Text({ description: 'SHA-256, in hex; 64 zeros if the wallet has no entries.', pattern: '^[0-9a-f]{64}$' }) readonly hash: string;
  @Decimal('NGN.') readonly balance: number;
  @Time({ description: 'When the last entry was recorded; null if there is none.', nullable: true }) readonly recorded_at: string | null;
}

export const EXPORT_EXAMPLE = `${JSON.stringify({
  stream: `wallet-${EXAMPLE.partner_id}`,
  revision: 0,
  type: 'WalletCredited',
  recorded_at: '2026-03-09T08:00:00.000Z',
  data: {
    partner_id: EXAMPLE.partner_id,
    recorded_at: '2026-03-09T08:00:00.000Z',
    actor: 'admin',
    balance_after_kobo: 5_000_000,
    open_from_revision: null,
    amount_kobo: 5_000_000,
    reference: 'transfer-1',
    kind: 'payment',
    reason: null,
  },
  prev_hash: '0'.repeat(64),
  hash: EXAMPLE.hash,
})}\n`;

@Schema('WalletHead')
export class WalletHead {
  @Count() readonly revision: number;
  @Text({ description: 'SHA-256, in hex.', pattern: '^[0-9a-f]{64}$' }) readonly hash: string;
}

@Schema('WalletFault')
export class WalletFaultView {
  @Count('Revision of the first entry that breaks a rule.') readonly revision: number;
  @OneOf(WALLET_RULES) readonly rule: WalletRule;
  @Text() readonly message: string;
}

@Schema('WalletVerification', { ok: true, entries: 18, head: { revision: 17, hash: EXAMPLE.hash }, open_charges: 1, fault: null })
export class WalletVerificationView {
  @Flag() readonly ok: boolean;
  @Count('Number of entries that pass every rule: all of them, or those before the fault.') readonly entries: number;
  @Nested(WalletHead, {
    description: 'The last entry that passes every rule; note it for `since` of a later verification. Null if there is none.',
    nullable: true,
  })
  readonly head: WalletHead | null;
  @Count('Number of charges that are neither settled nor refunded yet.') readonly open_charges: number;
  @Integers({
    description: 'Revisions of events that cannot be used and were skipped by an operator; left out if there are none.',
    required: false,
  })
  readonly skipped?: readonly number[];
  @Nested(WalletFaultView, { description: 'The first fault found; null if every entry passes.', nullable: true })
  readonly fault: WalletFaultView | null;
}
