import { canonicalize } from 'json-canonicalize';
import { type Approved, areSamePerson } from '../../approvals/domain/events.js';
import { type AtRevision } from '../../../platform/event-sourcing/decider.js';
import { chainHash, GENESIS_HASH } from '../../../platform/event-sourcing/stream-kind.js';
import { changeOf } from './balance-change.js';
import { haveEqualDeductions, reversedDeductions } from './deductions.js';
import { creditKindOf, type Deductions, deductionsOf, type WalletCredited, type WalletDebited, type WalletEvent } from './events.js';
import { type ManualEvent } from './crediting/manual-entries.js';
import { type SettledCharges } from './settled-charges.js';
import { formatNaira } from '../../../kernel/money.js';
import { vatPercentOf } from '../../../kernel/vat.js';
import { shapeFault } from './wallet-shapes.js';

/** An entry as read from the log or an export. Any of its parts may have been tampered with. */
export interface ChainedEntry {
  readonly stream: string;
  readonly revision: bigint;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly metadata: { readonly prev_hash?: string; readonly hash?: string } | null | undefined;
  /** When the event store recorded the entry, in ms since 1970; undefined if that says nothing about its date. */
  readonly createdMs?: number | undefined;
}

/** A revision with its hash, which identifies the chain up to that revision. */
export interface ChainHead {
  readonly revision: number;
  readonly hash: string;
}

interface OpenCharge {
  readonly revision: number;
  readonly debited_at: string;
  readonly rupa_id: string;
  readonly amount_kobo: number;
  readonly breakdown_kobo: Readonly<Record<string, number>>;
  /** Rate of the VAT that the fees contain, in percent. */
  readonly vat_percent: number;
}

/** A credit, and how much of it was reversed. */
interface VerifiedCredit {
  readonly kind: NonNullable<WalletCredited['data']['kind']>;
  readonly amount_kobo: number;
  readonly deductions: Deductions;
  reversed_kobo: number;
}

/** The published prices, which tell why a debit's fees were not in force at its time. */
export interface Prices {
  faultOf(debit: WalletDebited['data']): string | undefined;
}

/** The state after the entries verified so far. It grows with the number of open charges and of credits, and by eight bytes per entry. */
export interface VerifierState {
  readonly stream: string;
  /** A head that an auditor noted at an earlier verification. */
  readonly since: ChainHead | undefined;
  readonly prices: Prices;
  head: ChainHead | null;
  balance_kobo: number;
  recorded_at: string;
  /** Open charges by lookup_id, oldest first. */
  readonly open: Map<string, OpenCharge>;
  /** The hash of the manual entries. */
  manual_hash: string;
  /** References of credits, reversals and payouts. */
  readonly references: Set<string>;
  readonly credits: Map<string, VerifiedCredit>;
  readonly settled: SettledCharges;
}

/** Milliseconds by which an entry's date may differ from the time at which the event store recorded it (evidence, "The evidence file"). */
const MAX_DIFFERENCE_MS = 5 * 60_000;

/** The rules that are applied to each entry, in this order; `open_too_long` and `open_ahead` are applied once, after the last entry. */
export const WALLET_RULES = [
  'revision',
  'stream',
  'prev_hash',
  'hash',
  'since',
  'shape',
  'approval',
  'recorded_at',
  'time',
  'breakdown',
  'balance',
  'price',
  'open_from_revision',
  'reference',
  'manual_entries',
  'deductions',
  'reversal',
  'charge',
  'compensation',
  'open_too_long',
  'open_ahead',
] as const;
export type WalletRule = (typeof WALLET_RULES)[number];

type Entry = AtRevision<WalletEvent> & Pick<ChainedEntry, 'createdMs'>;
/** A rule's `fault` returns why the entry cannot follow the verified ones; undefined if it can. */
export type Rule<Entry> = readonly [name: WalletRule, fault: (entry: Entry, state: Readonly<VerifierState>) => string | undefined];

/** Returns the name in an actor such as `admin:amina`. */
function nameOf(actor: string): string {
  return actor.slice(actor.indexOf(':') + 1);
}

/** Rules about the entry's position in the chain and the shape of its data. Only an entry that passes them can be treated as a wallet event. */
export const chainRules: readonly Rule<ChainedEntry>[] = [
  [
    'revision',
    ({ revision }, { head }) => {
      const next = nextRevision(head);
      return revision === BigInt(next) ? undefined : `Revision ${next} is missing: revision ${revision} was found instead.`;
    },
  ],
  [
    'stream',
    ({ stream, data }, state) => {
      if (stream !== state.stream) return `It belongs to the stream ${stream}.`;
      const partner = data?.partner_id;
      if (typeof partner !== 'string') return `It names no partner, but the wallet is ${stream}.`;
      return `wallet-${partner}` === stream ? undefined : `It names the partner ${partner}, but the wallet is ${stream}.`;
    },
  ],
  [
    'prev_hash',
    ({ metadata }, { head }) => {
      const previous = head?.hash ?? GENESIS_HASH;
      const named = metadata?.prev_hash ?? previous;
      return named === previous ? undefined : `Its prev_hash is ${named}, but the hash of the previous entry is ${previous}.`;
    },
  ],
  [
    'hash',
    ({ stream, revision, type, data, metadata }, { head }) => {
      const hash = chainHash(head?.hash ?? GENESIS_HASH, stream, revision, type, data ?? {});
      return metadata?.hash === hash
        ? undefined
        : `Its content hashes to ${hash}, but its hash is ${metadata?.hash ?? 'missing'}: one of the two was changed after the entry was written.`;
    },
  ],
  [
    'since',
    ({ revision, metadata }, { since }) =>
      since && revision === BigInt(since.revision) && metadata?.hash !== since.hash
        ? `The hash noted earlier is ${since.hash}, but now it is ${metadata?.hash ?? 'missing'}: the entries up to this one were rewritten.`
        : undefined,
  ],
  ['shape', ({ type, data }) => shapeFault(type, data ?? {})],
];

export const moneyRules: readonly Rule<Entry>[] = [
  [
    'approval',
    ({ data }) => {
      const { actor, approval_id, approved_by } = data as typeof data & Approved;
      if (approval_id === undefined && approved_by === undefined) return undefined;
      if (approval_id === undefined || approved_by === undefined) return 'It names an approval or a second person, but not both.';
      return areSamePerson(nameOf(actor), nameOf(approved_by)) ? `Its author, ${actor}, approved it alone.` : undefined;
    },
  ],
  [
    'recorded_at',
    ({ data: { recorded_at } }, previous) =>
      recorded_at < previous.recorded_at
        ? `It was recorded at ${recorded_at}, which is before the previous entry (${previous.recorded_at}).`
        : undefined,
  ],
  [
    'time',
    ({ data: { recorded_at }, createdMs }) =>
      createdMs === undefined || Math.abs(Date.parse(recorded_at) - createdMs) <= MAX_DIFFERENCE_MS
        ? undefined
        : `It is dated ${recorded_at}, but the event store recorded it at ${new Date(createdMs).toISOString()}.`,
  ],
  [
    'breakdown',
    (entry) => {
      const breakdown_kobo = 'breakdown_kobo' in entry.data ? entry.data.breakdown_kobo : undefined;
      if (!breakdown_kobo || !('amount_kobo' in entry.data)) return undefined;
      const sum = Object.values(breakdown_kobo).reduce((total, fee) => total + fee, 0);
      return sum === entry.data.amount_kobo ? undefined : `Its fees sum to ${ngn(sum)}, but its amount is ${ngn(entry.data.amount_kobo)}.`;
    },
  ],
  [
    'balance',
    (entry, { balance_kobo }) => {
      const [stated, sum] = [entry.data.balance_after_kobo, balance_kobo + changeOf(entry)];
      if (stated !== sum) return `Its balance_after_kobo is ${ngn(stated)}, but the entries up to it sum to ${ngn(sum)}.`;
      return sum < 0 ? `The balance is negative: ${ngn(sum)}.` : undefined;
    },
  ],
  ['price', (entry, { prices }) => (entry.type === 'WalletDebited' ? prices.faultOf(entry.data) : undefined)],
  [
    'open_from_revision',
    ({ data }, { open }) => {
      const [oldest] = open.values();
      const [stated, actual] = [data.open_from_revision, oldest?.revision ?? null];
      return stated === actual
        ? undefined
        : `Its open_from_revision is ${stated ?? 'null'}, but the oldest open charge before it has the revision ${actual ?? 'null'}.`;
    },
  ],
  [
    'reference',
    (entry, { references }) =>
      'reference' in entry.data && references.has(entry.data.reference)
        ? `The reference ${JSON.stringify(entry.data.reference)} was used before.`
        : undefined,
  ],
  [
    'manual_entries',
    ({ data }, { manual_hash }) => {
      const { manual_entries_hash: stated = manual_hash } = data as typeof data & Partial<ManualEvent['data']>;
      return stated === manual_hash
        ? undefined
        : `Its manual_entries_hash is ${stated}, but that of the entries before it is ${manual_hash}.`;
    },
  ],
  ['deductions', deductionsFault],
  ['reversal', reversalFault],
  ['charge', chargeFault],
  ['compensation', compensationFault],
];

/** Checks that each lookup is charged once and each charge closed once, with the amount and farmer that were charged. */
function chargeFault(entry: Entry, { open }: Readonly<VerifierState>): string | undefined {
  switch (entry.type) {
    case 'WalletCredited':
    case 'CreditReversed':
    case 'WalletPaidOut':
    case 'LookupCompensated':
      return undefined;
    case 'WalletDebited': {
      const before = open.get(entry.data.lookup_id);
      return (
        before && `The lookup ${entry.data.lookup_id} was already charged at revision ${before.revision}, and that charge is still open.`
      );
    }
    case 'ConsentGranted':
      return open.get(entry.data.lookup_id)?.rupa_id === entry.data.rupa_id
        ? undefined
        : `The lookup ${entry.data.lookup_id} has no open charge for ${entry.data.rupa_id}.`;
    case 'ChargesSettled': {
      const ids = entry.data.charges.map(({ lookup_id }) => lookup_id);
      if (new Set(ids).size < ids.length) return 'It settles the same lookup twice.';
      return entry.data.charges.map((charge) => closingFault(charge, open)).find((fault) => fault !== undefined);
    }
    case 'RefundIssued': {
      const { lookup_id, rupa_id, amount_kobo } = entry.data;
      const charge = open.get(lookup_id);
      if (charge && charge.amount_kobo !== amount_kobo)
        return `It refunds ${ngn(amount_kobo)}, but ${ngn(charge.amount_kobo)} was charged at revision ${charge.revision}.`;
      if (charge && charge.rupa_id !== rupa_id)
        return `It refunds a lookup of ${rupa_id}, but the lookup charged at revision ${charge.revision} was of ${charge.rupa_id}.`;
      if (charge && entry.data.breakdown_kobo && canonicalize(entry.data.breakdown_kobo) !== canonicalize(charge.breakdown_kobo))
        return `Its fees are not those that were charged at revision ${charge.revision}.`;
      if (charge && vatPercentOf(entry.data) !== charge.vat_percent)
        return `Its VAT is ${vatPercentOf(entry.data)} percent, but that of revision ${charge.revision} is ${charge.vat_percent} percent.`;
      if (charge && charge.vat_percent > 0 && !entry.data.breakdown_kobo)
        return `It lacks the fees that were charged with VAT at revision ${charge.revision}.`;
      return closingFault(entry.data, open);
    }
  }
}

/** Checks that reversals name a credit, and together do not exceed it. */
function reversalFault(entry: Entry, { credits }: Readonly<VerifierState>): string | undefined {
  if (entry.type !== 'CreditReversed') return undefined;
  const { credit_reference, amount_kobo, kind } = entry.data;
  const credit = credits.get(credit_reference);
  if (!credit) return `It reverses the credit ${JSON.stringify(credit_reference)}, which the wallet does not have.`;
  if (credit.kind !== kind) return `It reverses a credit of the kind ${credit.kind} as one of the kind ${kind}.`;
  const left_kobo = credit.amount_kobo - credit.reversed_kobo;
  if (amount_kobo > left_kobo) return `It reverses ${ngn(amount_kobo)} of a credit of which ${ngn(left_kobo)} is left.`;
  const deducted = reversedDeductions(credit, credit.reversed_kobo, amount_kobo);
  return haveEqualDeductions(deducted, deductionsOf(entry.data))
    ? undefined
    : `It takes back other parts of the bank fee and the withheld tax than ${ngn(deducted.bank_fee_kobo)} and ${ngn(deducted.withheld_tax_kobo)}.`;
}

/** Checks that only a payment has deductions, and that a part of it reached the bank. */
function deductionsFault(entry: Entry): string | undefined {
  if (entry.type !== 'WalletCredited') return undefined;
  const { bank_fee_kobo, withheld_tax_kobo } = deductionsOf(entry.data);
  const deducted_kobo = bank_fee_kobo + withheld_tax_kobo;
  if (deducted_kobo === 0) return undefined;
  if (creditKindOf(entry.data) !== 'payment') return 'It has a bank fee or a withheld tax, but it is no payment.';
  return deducted_kobo < entry.data.amount_kobo
    ? undefined
    : `Its bank fee and its withheld tax leave nothing of ${ngn(entry.data.amount_kobo)}.`;
}

/** Checks that each compensation gives back a settled charge, once and whole. */
function compensationFault(entry: Entry, { settled }: Readonly<VerifierState>): string | undefined {
  if (entry.type !== 'LookupCompensated') return undefined;
  const { lookup_id, debit_revision } = entry.data;
  switch (settled.stateOf(debit_revision, entry.data)) {
    case 'settled':
      return undefined;
    case 'compensated':
      return `The lookup ${lookup_id} was compensated before.`;
    case 'unknown':
      return `It compensates the lookup ${lookup_id}, but no settled charge at revision ${debit_revision} has that lookup, farmer, fees and VAT.`;
  }
}

function closingFault(
  { lookup_id, debit_revision }: { readonly lookup_id: string; readonly debit_revision: number },
  open: VerifierState['open'],
): string | undefined {
  const charge = open.get(lookup_id);
  if (!charge) return `The lookup ${lookup_id} has no open charge: it was never charged, or was already settled or refunded.`;
  return charge.revision === debit_revision
    ? undefined
    : `Its debit_revision for the lookup ${lookup_id} is ${debit_revision}, but the lookup was charged at revision ${charge.revision}.`;
}

export function nextRevision(head: ChainHead | null): number {
  return head === null ? 0 : head.revision + 1;
}

function ngn(kobo: number): string {
  return `NGN ${formatNaira(kobo)}`;
}
