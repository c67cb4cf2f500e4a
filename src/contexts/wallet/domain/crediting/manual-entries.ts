import { hash } from 'node:crypto';
import { indexableText } from '../../../../platform/database/postgres-text.js';
import { type AtRevision } from '../../../../platform/event-sourcing/decider.js';
import { GENESIS_HASH } from '../../../../platform/event-sourcing/stream-kind.js';
import { type WalletEvent } from '../events.js';
import { type SearchedEntries, WalletRejection } from '../wallet-command.js';

type ManualType = 'WalletCredited' | 'CreditReversed' | 'WalletPaidOut' | 'LookupCompensated';
/** An entry that an administrator makes. The others belong to lookups. */
export type ManualEvent = Extract<WalletEvent, { readonly type: ManualType }>;

const IS_MANUAL: { readonly [Type in WalletEvent['type']]: Type extends ManualType ? true : false } = {
  WalletCredited: true,
  CreditReversed: true,
  WalletPaidOut: true,
  LookupCompensated: true,
  WalletDebited: false,
  ConsentGranted: false,
  ChargesSettled: false,
  RefundIssued: false,
};

export function isManual(type: string): type is ManualType {
  return (IS_MANUAL as Readonly<Record<string, boolean>>)[type] === true;
}

export const MANUAL_TYPES = Object.keys(IS_MANUAL).filter(isManual);

/** The part of a manual entry that later ones search. Its texts are those of the event or of the read model's row. */
export interface ManualEntry {
  readonly type: WalletEvent['type'];
  readonly revision: number;
  readonly reference: string | null;
  readonly credit_reference: string | null;
  readonly lookup_id: string | null;
}

export function manualEntryOf({ type, revision, data }: AtRevision<ManualEvent>): ManualEntry {
  const { reference = null, credit_reference = null, lookup_id = null }: Partial<ManualEntry> = data;
  return { type, revision: Number(revision), reference, credit_reference, lookup_id };
}

/** The hash of a wallet without manual entries. */
const NO_MANUAL_ENTRIES = GENESIS_HASH;

/**
 * Returns the hash of a wallet's manual entries, oldest first. That of each is the SHA-256, in hex, of the hash of those before it and of a
 * JSON array of its revision, type, reference, credit reference and lookup, one per line (docs/adr/0069).
 * @param before the hash of the entries before the first of these
 */
export function hashOfManual(entries: readonly ManualEntry[], before = NO_MANUAL_ENTRIES): string {
  return entries.reduce((earlier, { revision, type, reference, credit_reference, lookup_id }) => {
    const texts = [reference, credit_reference, lookup_id].map((text) => text && indexableText(text));
    return hash('sha256', `${earlier}\n${JSON.stringify([revision, type, ...texts])}`);
  }, before);
}

/** The newest manual entry that a state has folded. */
export interface NewestManual {
  readonly revision: bigint;
  /** The hash of the manual entries up to it; undefined if an earlier release recorded it, and the state lacks those before. */
  readonly hash: string | undefined;
}

/** Returns the newest manual entry after an event. */
export function newestManual(event: AtRevision<WalletEvent>, before: NewestManual | undefined): NewestManual | undefined {
  if (!isManualEvent(event)) return before;
  const { manual_entries_hash: earlier = before?.hash } = event.data;
  return { revision: event.revision, hash: earlier === undefined ? undefined : hashOfManual([manualEntryOf(event)], earlier) };
}

export function isManualEvent(event: AtRevision<WalletEvent>): event is AtRevision<ManualEvent> {
  return isManual(event.type);
}

/**
 * Returns the hash that the next manual entry records.
 * @throws Rejection `credit_history_moved` if an earlier release has recorded an entry since the caller's search
 */
export function earlierManual(searched: SearchedEntries, newest: NewestManual | undefined): string {
  if (newest?.hash !== undefined) return newest.hash;
  if (newest && newest.revision > searched.checked_to_revision) throw new WalletRejection('credit_history_moved');
  return searched.manual_entries_hash;
}
