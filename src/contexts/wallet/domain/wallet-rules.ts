import { type AtRevision } from '../../../platform/event-sourcing/decider.js';
import { chainHash, GENESIS_HASH } from '../../../platform/event-sourcing/hash-chain.js';
import { changeOf } from './balance-change.js';
import { type WalletEvent } from './events.js';
import { formatNaira } from '../../../kernel/money.js';
import { misshapen } from './wallet-shapes.js';

/** An entry as the log or an export holds it: nothing about it is taken for granted. */
export interface ChainedEntry {
  readonly stream: string;
  readonly revision: bigint;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly metadata: { readonly prev_hash?: string; readonly hash?: string } | null | undefined;
}

/** A place in a chain, and with it all that stands before. */
export interface ChainHead {
  readonly revision: number;
  readonly hash: string;
}

interface OpenCharge {
  readonly revision: number;
  readonly debited_at: string;
  readonly rupa_id: string;
  readonly amount_kobo: number;
}

/** What the entries so far come to. It grows with open charges and credits alone. */
export interface Checked {
  readonly stream: string;
  /** Noted by an auditor at an earlier time. */
  readonly since: ChainHead | undefined;
  head: ChainHead | null;
  balance_kobo: number;
  recorded_at: string;
  /** By lookup, oldest first. */
  readonly open: Map<string, OpenCharge>;
  readonly references: Set<string>;
}

/** Of the entries one by one, in this order; then `open_too_long`, of the whole. */
export const WALLET_RULES = [
  'revision',
  'stream',
  'prev_hash',
  'hash',
  'since',
  'shape',
  'recorded_at',
  'breakdown',
  'balance',
  'open_from_revision',
  'reference',
  'charge',
  'open_too_long',
] as const;
export type WalletRule = (typeof WALLET_RULES)[number];

type Entry = AtRevision<WalletEvent>;
/** What it says against an entry that stands after those checked; undefined for nothing. */
export type Rule<Entry> = readonly [name: WalletRule, fault: (entry: Entry, checked: Readonly<Checked>) => string | undefined];

/** Of what the entry is made and where it stands; only after these may its data be trusted to be a wallet event's. */
export const chainRules: readonly Rule<ChainedEntry>[] = [
  [
    'revision',
    ({ revision }, { head }) => {
      const next = nextRevision(head);
      return revision === BigInt(next) ? undefined : `Revision ${next} is missing: revision ${revision} stands in its place.`;
    },
  ],
  [
    'stream',
    ({ stream, data }, checked) => {
      if (stream !== checked.stream) return `It belongs to the stream ${stream}.`;
      const partner = String(data?.partner_id);
      return `wallet-${partner}` === stream ? undefined : `It names the partner ${partner}, whose wallet this is not.`;
    },
  ],
  [
    'prev_hash',
    ({ metadata }, { head }) => {
      const before = head?.hash ?? GENESIS_HASH;
      return metadata?.prev_hash === before
        ? undefined
        : `Its prev_hash is ${metadata?.prev_hash ?? 'missing'}; the hash of what stands before it is ${before}.`;
    },
  ],
  [
    'hash',
    ({ stream, revision, type, data, metadata }, { head }) => {
      const hash = chainHash(head?.hash ?? GENESIS_HASH, stream, revision, type, data ?? {});
      return metadata?.hash === hash
        ? undefined
        : `Its content hashes to ${hash}, but its hash is ${metadata?.hash ?? 'missing'}: one of them was changed after it was written.`;
    },
  ],
  [
    'since',
    ({ revision, metadata }, { since }) =>
      since && revision === BigInt(since.revision) && metadata?.hash !== since.hash
        ? `The hash noted earlier is ${since.hash}; now it is ${metadata?.hash ?? 'missing'}: what stands up to here was written anew.`
        : undefined,
  ],
  ['shape', ({ type, data }) => misshapen(type, data ?? {})],
];

export const moneyRules: readonly Rule<Entry>[] = [
  [
    'recorded_at',
    ({ data: { recorded_at } }, before) =>
      recorded_at < before.recorded_at ? `It was recorded at ${recorded_at}, the entry before it at ${before.recorded_at}.` : undefined,
  ],
  [
    'breakdown',
    (entry) => {
      if (entry.type !== 'WalletDebited') return undefined;
      const sum = Object.values(entry.data.breakdown_kobo).reduce((total, fee) => total + fee, 0);
      return sum === entry.data.amount_kobo ? undefined : `Its fees sum to ${ngn(sum)}, but ${ngn(entry.data.amount_kobo)} was charged.`;
    },
  ],
  [
    'balance',
    (entry, { balance_kobo }) => {
      const [said, sum] = [entry.data.balance_after_kobo, balance_kobo + changeOf(entry)];
      if (said !== sum) return `It says that the balance is ${ngn(said)}; the entries up to it sum to ${ngn(sum)}.`;
      return sum < 0 ? `The balance is ${ngn(sum)}.` : undefined;
    },
  ],
  [
    'open_from_revision',
    ({ data }, { open }) => {
      const [oldest] = open.values();
      const [said, is] = [data.open_from_revision, oldest?.revision ?? null];
      return said === is
        ? undefined
        : `It says that the oldest open charge before it is of revision ${said ?? 'none'}; it is of ${is ?? 'none'}.`;
    },
  ],
  [
    'reference',
    (entry, { references }) =>
      entry.type === 'WalletCredited' && references.has(entry.data.reference)
        ? `The reference ${JSON.stringify(entry.data.reference)} was credited before.`
        : undefined,
  ],
  ['charge', chargeFault],
];

/** Every charge is closed once, as what it was. */
function chargeFault(entry: Entry, { open }: Readonly<Checked>): string | undefined {
  switch (entry.type) {
    case 'WalletCredited':
      return undefined;
    case 'WalletDebited': {
      const before = open.get(entry.data.lookup_id);
      return before && `The lookup ${entry.data.lookup_id} was charged at revision ${before.revision} and is still open.`;
    }
    case 'ConsentGranted':
      return open.get(entry.data.lookup_id)?.rupa_id === entry.data.rupa_id
        ? undefined
        : `No charge of the lookup ${entry.data.lookup_id} for ${entry.data.rupa_id} is open.`;
    case 'ChargesSettled': {
      const ids = entry.data.charges.map(({ lookup_id }) => lookup_id);
      if (new Set(ids).size < ids.length) return 'It settles a lookup twice.';
      return entry.data.charges.map((charge) => notOpen(charge, open)).find((fault) => fault !== undefined);
    }
    case 'RefundIssued': {
      const { lookup_id, rupa_id, amount_kobo } = entry.data;
      const charge = open.get(lookup_id);
      if (charge && charge.amount_kobo !== amount_kobo)
        return `It refunds ${ngn(amount_kobo)}, but ${ngn(charge.amount_kobo)} was charged at revision ${charge.revision}.`;
      if (charge && charge.rupa_id !== rupa_id)
        return `It refunds a lookup of ${rupa_id}; the one charged at revision ${charge.revision} was of ${charge.rupa_id}.`;
      return notOpen(entry.data, open);
    }
  }
}

function notOpen(
  { lookup_id, debit_revision }: { readonly lookup_id: string; readonly debit_revision: number },
  open: Checked['open'],
): string | undefined {
  const charge = open.get(lookup_id);
  if (!charge) return `The lookup ${lookup_id} is not open: it was never charged, or was settled or refunded before.`;
  return charge.revision === debit_revision
    ? undefined
    : `It says that the lookup ${lookup_id} was charged at revision ${debit_revision}; it was at ${charge.revision}.`;
}

export function nextRevision(head: ChainHead | null): number {
  return head === null ? 0 : head.revision + 1;
}

function ngn(kobo: number): string {
  return `NGN ${formatNaira(kobo)}`;
}
