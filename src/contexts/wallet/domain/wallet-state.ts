import { vatPercentOf } from '../../../kernel/vat.js';
import { type AtRevision } from '../../../platform/event-sourcing/decider.js';
import { type CreditKind, creditKindOf, type Deductions, deductionsOf, type WalletCredited, type WalletEvent } from './events.js';
import { GrowingMap } from './growing-map.js';
import { earlierManual, type NewestManual, newestManual } from './crediting/manual-entries.js';
import { addKeys, NO_KEYS, type SettledKeys } from './settled-keys.js';
import { type SearchedEntries, type WalletCommand } from './wallet-command.js';

interface OpenCharge {
  readonly debit_revision: number;
  readonly debited_at: string;
  readonly rupa_id: string;
  readonly amount_kobo: number;
  readonly breakdown_kobo: Readonly<Record<string, number>>;
  /** Rate of the VAT that the fees contain, in percent. */
  readonly vat_percent: number;
}

interface Remembered {
  /** Revision of the entry. */
  readonly revision: bigint;
}

interface Credit extends Remembered {
  readonly amount_kobo: number;
  readonly kind: CreditKind;
  readonly deductions: Deductions;
}

interface Reversal extends Remembered {
  readonly credit_reference: string;
  readonly amount_kobo: number;
}

interface Payout extends Remembered {
  readonly amount_kobo: number;
}

interface GivenBack extends Remembered {
  readonly how: 'refunded' | 'compensated';
}

/**
 * Number of credits that a state remembers, and of reversals, of payouts, and of charges given back. Cached states live as long as the process, and a
 * wallet may have any number of each. A command that needs the earlier ones searches for them.
 */
const MAX_REMEMBERED = 1_000;

export interface WalletState {
  readonly balance_kobo: number;
  /** ISO 8601 of the newest entry; empty before the first. */
  readonly recorded_at: string;
  /** Open charges, oldest first, by lookup_id. */
  readonly open: GrowingMap<string, OpenCharge>;
  /** Credits by reference, from `known_from` on. Earlier ones are not part of the state; the same holds for the next three. */
  readonly credits: ReadonlyMap<string, Credit>;
  /** Reversals of credits by their own reference, oldest first. */
  readonly reversals: ReadonlyMap<string, Reversal>;
  /** Payouts by reference. */
  readonly payouts: ReadonlyMap<string, Payout>;
  /** Lookups whose charge was given back. */
  readonly given_back: ReadonlyMap<string, GivenBack>;
  /** Revision from which on the state knows all of these. It need not be the first of the stream; undefined before the first event. */
  readonly known_from: bigint | undefined;
  /** The newest credit, reversal, payout or compensation from `first` on; undefined if there is none. */
  readonly newest_manual: NewestManual | undefined;
  /** The Idempotency-Keys of the charges that were settled from `first` on. */
  readonly settled_keys: SettledKeys;
  /** Revision of the first entry that was folded; undefined before the first event. */
  readonly first: bigint | undefined;
  /** Revision of the newest entry; -1 before the first. */
  readonly revision: bigint;
}

export const initialState: WalletState = {
  balance_kobo: 0,
  recorded_at: '',
  open: GrowingMap.of([]),
  credits: new Map(),
  reversals: new Map(),
  payouts: new Map(),
  given_back: new Map(),
  known_from: undefined,
  newest_manual: undefined,
  settled_keys: NO_KEYS,
  first: undefined,
  revision: -1n,
};

/** Applies an event of the current command, so that the command's next entry records the charges open before itself. */
export function after(state: WalletState, event: WalletEvent): WalletState {
  return evolve(state, { ...event, revision: state.revision + 1n });
}

/** Returns the fields that every event of a command has. `change_kobo` is the change of the balance. */
export function entry({ partner_id, at, actor, approval }: WalletCommand, state: WalletState, change_kobo: number) {
  const [oldest] = state.open.values();
  return {
    partner_id,
    recorded_at: at > state.recorded_at ? at : state.recorded_at,
    actor,
    balance_after_kobo: state.balance_kobo + change_kobo,
    open_from_revision: oldest?.debit_revision ?? null,
    ...approval,
  };
}

/**
 * Returns the fields that every entry of an administrator has.
 * @throws Rejection `credit_history_moved`
 */
export function manualEntry(command: WalletCommand & SearchedEntries, state: WalletState, change_kobo: number) {
  const manual_entries_hash = earlierManual(command, state.newest_manual);
  return { ...entry(command, state, change_kobo), manual_entries_hash };
}

/** Gives the same balance and open charges from the revision that {@link replayFrom} returns as from the first. */
export function evolve(state: WalletState, event: AtRevision<WalletEvent>): WalletState {
  const next = {
    ...state,
    balance_kobo: event.data.balance_after_kobo,
    recorded_at: event.data.recorded_at,
    known_from: state.known_from ?? event.revision,
    newest_manual: newestManual(event, state.newest_manual),
    first: state.first ?? event.revision,
    revision: event.revision,
  };
  switch (event.type) {
    case 'WalletCredited':
      return remember(next, 'credits', event.data.reference, creditOf(event));
    case 'CreditReversed': {
      const { reference, credit_reference, amount_kobo } = event.data;
      return remember(next, 'reversals', reference, { credit_reference, amount_kobo, revision: event.revision });
    }
    case 'WalletPaidOut':
      return remember(next, 'payouts', event.data.reference, { amount_kobo: event.data.amount_kobo, revision: event.revision });
    case 'LookupCompensated':
      return remember(next, 'given_back', event.data.lookup_id, { how: 'compensated', revision: event.revision });
    case 'WalletDebited':
      return { ...next, open: opened(state.open, event) };
    case 'ChargesSettled': {
      const lookupIds = event.data.charges.map(({ lookup_id }) => lookup_id);
      return {
        ...next,
        open: state.open.without(lookupIds),
        // A key's day begins with its debit: the settlement may be recorded hours later, after an outage.
        settled_keys: [...Map.groupBy(lookupIds, (id) => state.open.get(id)?.debited_at ?? event.data.recorded_at)].reduce(
          (keys, [debited_at, ids]) => addKeys(keys, ids, debited_at),
          state.settled_keys,
        ),
      };
    }
    case 'RefundIssued':
      return remember({ ...next, open: state.open.without([event.data.lookup_id]) }, 'given_back', event.data.lookup_id, {
        how: 'refunded',
        revision: event.revision,
      });
    case 'ConsentGranted':
      return next;
  }
}

function creditOf({ data, revision }: AtRevision<WalletCredited>): Credit {
  return { amount_kobo: data.amount_kobo, kind: creditKindOf(data), deductions: deductionsOf(data), revision };
}

interface RememberedByName {
  credits: Credit;
  reversals: Reversal;
  payouts: Payout;
  given_back: GivenBack;
}

/** Adds an entry to one of the maps and drops the oldest one beyond the bound. The state then knows only what came after that one. */
function remember<Name extends keyof RememberedByName>(
  state: WalletState,
  name: Name,
  key: string,
  value: RememberedByName[Name],
): WalletState {
  const entries = new Map<string, Remembered>(state[name]).set(key, value);
  const [oldest] = entries;
  if (!oldest || entries.size <= MAX_REMEMBERED) return { ...state, [name]: entries };
  const [oldestKey, { revision }] = oldest;
  entries.delete(oldestKey);
  const { known_from = 0n } = state;
  return { ...state, [name]: entries, known_from: known_from > revision ? known_from : revision + 1n };
}

function opened(
  open: WalletState['open'],
  { data, revision }: AtRevision<Extract<WalletEvent, { type: 'WalletDebited' }>>,
): WalletState['open'] {
  const { recorded_at: debited_at, rupa_id, amount_kobo, breakdown_kobo } = data;
  const charge = { debit_revision: Number(revision), debited_at, rupa_id, amount_kobo, breakdown_kobo, vat_percent: vatPercentOf(data) };
  return open.with(data.lookup_id, charge);
}
