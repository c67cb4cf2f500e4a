import { type Decider, type AtRevision } from '../../../platform/event-sourcing/decider.js';
import { type WalletEvent } from './events.js';
import { WalletRejection } from './rejections.js';
import { assertWalletCommandInBounds, type ChargeCommand, type WalletCommand } from './wallet-command.js';

interface OpenCharge {
  readonly debit_revision: number;
  readonly debited_at: string;
  readonly rupa_id: string;
  readonly amount_kobo: number;
}

export interface WalletState {
  readonly balance_kobo: number;
  /** ISO 8601 of the newest entry; empty before the first. */
  readonly recorded_at: string;
  /** Open charges, oldest first, by lookup_id. */
  readonly open: ReadonlyMap<string, OpenCharge>;
  /** Amounts in kobo by reference, of the credits from `folded_from` on. Earlier credits are not part of the state. */
  readonly credits: ReadonlyMap<string, number>;
  /** Revision of the first event folded into this state, which need not be the first of the stream. */
  readonly folded_from: bigint | undefined;
  /** Revision of the newest entry; -1 before the first. */
  readonly revision: bigint;
}

const initialState: WalletState = {
  balance_kobo: 0,
  recorded_at: '',
  open: new Map(),
  credits: new Map(),
  folded_from: undefined,
  revision: -1n,
};

function decide(command: WalletCommand, state: WalletState): readonly WalletEvent[] {
  assertWalletCommandInBounds(command);
  switch (command.kind) {
    case 'credit':
      return credit(command, state);
    case 'charge':
      return charge(command, state);
    case 'settle':
      return settle(command, state);
    case 'refund':
      return refund(command, state);
  }
}

function credit(command: Extract<WalletCommand, { kind: 'credit' }>, state: WalletState): readonly WalletEvent[] {
  const { amount_kobo, reference, reason = null } = command;
  const creditedKobo = state.credits.get(reference);
  if (creditedKobo === amount_kobo) return [];
  if (creditedKobo !== undefined) throw new WalletRejection('reference_reused', { reference });
  // Entries after the caller's search and before the folded ones were not searched, so the reference could be among them.
  if (state.folded_from !== undefined && state.folded_from > command.checked_to_revision + 1n)
    throw new WalletRejection('credit_history_moved');
  if (!Number.isSafeInteger(state.balance_kobo + amount_kobo)) throw new WalletRejection('balance_limit');
  return [{ type: 'WalletCredited', data: { ...entry(command, state, amount_kobo), amount_kobo, reference, reason } }];
}

/** Decides on the charge and the consent that it grants, which are one append (interface, section 4.2, rules 3 and 6). */
function charge(command: ChargeCommand, state: WalletState): readonly WalletEvent[] {
  const { lookup_id, rupa_id, source, breakdown_kobo, price_book_version, key_id } = command;
  if (state.open.has(lookup_id)) return [];
  const amount_kobo = Object.values(breakdown_kobo).reduce((sum, fee) => sum + fee, 0);
  if (amount_kobo > state.balance_kobo) {
    throw new WalletRejection('insufficient_balance', { required_kobo: amount_kobo, available_kobo: state.balance_kobo, breakdown_kobo });
  }
  const data = {
    ...entry(command, state, -amount_kobo),
    lookup_id,
    rupa_id,
    source,
    amount_kobo,
    breakdown_kobo,
    price_book_version,
    key_id,
  };
  const debited: WalletEvent = { type: 'WalletDebited', data };
  if (!command.grants_consent) return [debited];
  return [debited, { type: 'ConsentGranted', data: { ...entry(command, after(state, debited), 0), lookup_id, rupa_id, source } }];
}

function settle(command: Extract<WalletCommand, { kind: 'settle' }>, state: WalletState): readonly WalletEvent[] {
  const charges = [...new Set(command.lookup_ids)].flatMap((lookup_id) => {
    const open = state.open.get(lookup_id);
    return open ? [{ lookup_id, debit_revision: open.debit_revision }] : [];
  });
  return charges.length === 0 ? [] : [{ type: 'ChargesSettled', data: { ...entry(command, state, 0), charges } }];
}

function refund(command: Extract<WalletCommand, { kind: 'refund' }>, state: WalletState): readonly WalletEvent[] {
  let current = state;
  return [...new Set(command.lookup_ids)].flatMap((lookup_id) => {
    const open = current.open.get(lookup_id);
    if (!open) return [];
    const { debit_revision, rupa_id, amount_kobo } = open;
    const data = { ...entry(command, current, amount_kobo), lookup_id, debit_revision, rupa_id, amount_kobo, reason: command.reason };
    const refunded: WalletEvent = { type: 'RefundIssued', data };
    current = after(current, refunded);
    return [refunded];
  });
}

/** Applies an event of the current command, so that the command's next entry records the charges open before itself. */
function after(state: WalletState, event: WalletEvent): WalletState {
  return evolve(state, { ...event, revision: state.revision + 1n });
}

function entry({ partner_id, at, actor }: WalletCommand, state: WalletState, change_kobo: number) {
  const [oldest] = state.open.values();
  return {
    partner_id,
    recorded_at: at > state.recorded_at ? at : state.recorded_at,
    actor,
    balance_after_kobo: state.balance_kobo + change_kobo,
    open_from_revision: oldest?.debit_revision ?? null,
  };
}

/** Gives the same balance and open charges from the revision that {@link replayFrom} returns as from the first. */
function evolve(state: WalletState, event: AtRevision<WalletEvent>): WalletState {
  const next = {
    ...state,
    balance_kobo: event.data.balance_after_kobo,
    recorded_at: event.data.recorded_at,
    folded_from: state.folded_from ?? event.revision,
    revision: event.revision,
  };
  switch (event.type) {
    case 'WalletCredited':
      return { ...next, credits: new Map(state.credits).set(event.data.reference, event.data.amount_kobo) };
    case 'WalletDebited':
      return { ...next, open: opened(state.open, event) };
    case 'ChargesSettled':
      return {
        ...next,
        open: closed(
          state.open,
          event.data.charges.map(({ lookup_id }) => lookup_id),
        ),
      };
    case 'RefundIssued':
      return { ...next, open: closed(state.open, [event.data.lookup_id]) };
    case 'ConsentGranted':
      return next;
  }
}

function opened(
  open: WalletState['open'],
  { data, revision }: AtRevision<Extract<WalletEvent, { type: 'WalletDebited' }>>,
): WalletState['open'] {
  const { recorded_at: debited_at, rupa_id, amount_kobo } = data;
  return new Map(open).set(data.lookup_id, { debit_revision: Number(revision), debited_at, rupa_id, amount_kobo });
}

function closed(open: WalletState['open'], lookupIds: readonly string[]): WalletState['open'] {
  const remaining = new Map(open);
  for (const id of lookupIds) remaining.delete(id);
  return remaining;
}

/** Returns the revision from which folding restores the balance and every open charge, given the wallet's last entry. */
export function replayFrom(last: { readonly revision: bigint; readonly data: Readonly<Record<string, unknown>> }): bigint {
  const { open_from_revision } = last.data as Pick<WalletEvent['data'], 'open_from_revision'>;
  return open_from_revision === null ? last.revision : BigInt(open_from_revision);
}

/** Merges settlements that wait for an append into one, so that they become one entry. */
export function mergeSettlements(commands: readonly WalletCommand[]): WalletCommand {
  const settlements = commands.filter((command) => command.kind === 'settle');
  const [first] = settlements;
  if (!first || settlements.length !== commands.length) throw new Error('Only settlements can be deferred and merged.');
  return { ...first, lookup_ids: settlements.flatMap(({ lookup_ids }) => lookup_ids) };
}

export const walletDecider: Decider<WalletState, WalletCommand, WalletEvent> = { initialState, decide, evolve };
