import { type Decider } from '../../../platform/event-sourcing/decider.js';
import { type StreamKind } from '../../../platform/event-sourcing/stream-kind.js';
import { assertHolds, assertSearched, compensate, payOut, reverse } from './crediting/corrections.js';
import { haveEqualDeductions, NO_DEDUCTIONS, recordedDeductions } from './deductions.js';
import { areOfOneKey, keyOf } from '../../../kernel/keyed-id.js';
import { recordedVat } from '../../../kernel/vat.js';
import { type WalletEvent } from './events.js';
import { hasKey } from './settled-keys.js';
import { type ChargeCommand, type LookupToCharge, type WalletCommand, WalletRejection } from './wallet-command.js';
import { after, entry, evolve, initialState, manualEntry, type WalletState } from './wallet-state.js';

export type { WalletState } from './wallet-state.js';

function decide(command: WalletCommand, state: WalletState): readonly WalletEvent[] {
  switch (command.kind) {
    case 'credit':
      return credit(command, state);
    case 'charge':
      return charge(command, state);
    case 'settle':
      return settle(command, state);
    case 'refund':
      return refund(command, state);
    case 'reverse':
      return reverse(command, state);
    case 'pay_out':
      return payOut(command, state);
    case 'compensate':
      return compensate(command, state);
  }
}

function credit(command: Extract<WalletCommand, { kind: 'credit' }>, state: WalletState): readonly WalletEvent[] {
  const { amount_kobo, credit_kind: kind = 'payment', deductions = NO_DEDUCTIONS, reference, reason = null } = command;
  const credited = state.credits.get(reference);
  if (credited?.amount_kobo === amount_kobo && credited.kind === kind && haveEqualDeductions(credited.deductions, deductions)) return [];
  if (credited ?? (state.reversals.has(reference) || state.payouts.has(reference)))
    throw new WalletRejection('reference_reused', { reference });
  assertSearched(command, state);
  assertHolds(state, amount_kobo);
  const data = { ...manualEntry(command, state, amount_kobo), amount_kobo, kind, reference, reason, ...recordedDeductions(deductions) };
  return [{ type: 'WalletCredited', data }];
}

/**
 * Decides on the charges of a call and the consents that they grant, which are one append (interface, section 4.2, rules 3 and 6; decisions,
 * "Many at once"): all of them or none, or with `allow_partial` the first ones, as far as the balance goes.
 */
function charge(command: ChargeCommand, state: WalletState): readonly WalletEvent[] {
  const { lookups, price_until, allow_partial = false } = command;
  if (lookups.some(({ lookup_id }) => state.open.has(lookup_id))) return [];
  assertKeyUnused(command, state);
  const { recorded_at } = entry(command, state, 0);
  if (price_until !== undefined && recorded_at >= price_until) throw new WalletRejection('price_changed', { at: recorded_at });
  const breakdown_kobo = sumOfFees(lookups.map((lookup) => lookup.breakdown_kobo));
  const required_kobo = totalOf(breakdown_kobo);
  if (required_kobo > state.balance_kobo && !allow_partial)
    throw new WalletRejection('insufficient_balance', { required_kobo, available_kobo: state.balance_kobo, breakdown_kobo });
  const events: WalletEvent[] = [];
  let current = state;
  for (const lookup of lookups) {
    if (totalOf(lookup.breakdown_kobo) > current.balance_kobo) break;
    for (const event of chargeOne(command, lookup, current)) {
      events.push(event);
      current = afterCharge(current, event);
    }
  }
  return events;
}

/** Returns as much of the next state as the next entry of the charge needs: the state that is kept would otherwise copy all open charges. */
function afterCharge(state: WalletState, event: WalletEvent): WalletState {
  if (state.open.size === 0) return after(state, event);
  const { balance_after_kobo: balance_kobo, recorded_at } = event.data;
  return { ...state, balance_kobo, recorded_at, revision: state.revision + 1n };
}

function chargeOne(command: ChargeCommand, lookup: LookupToCharge, state: WalletState): readonly WalletEvent[] {
  const { source, price_book_version, vat_percent = 0 } = command;
  const { lookup_id, rupa_id, breakdown_kobo, grants_consent } = lookup;
  const amount_kobo = totalOf(breakdown_kobo);
  const data = {
    ...entry(command, state, -amount_kobo),
    lookup_id,
    rupa_id,
    source,
    amount_kobo,
    breakdown_kobo,
    price_book_version,
    ...recordedVat(vat_percent),
  };
  const debited: WalletEvent = { type: 'WalletDebited', data };
  if (!grants_consent) return [debited];
  return [debited, { type: 'ConsentGranted', data: { ...entry(command, afterCharge(state, debited), 0), lookup_id, rupa_id, source } }];
}

/**
 * A key whose charge was settled has a stored response, unless somebody deleted it: the key is not charged again within its day
 * (docs/adr/0044). A charge that was refunded leaves its key free.
 */
function assertKeyUnused({ lookups, at, former_ids = [], earlier_keys }: ChargeCommand, wallet: WalletState): void {
  const { open, settled_keys, first = 0n } = wallet;
  const ids = [lookups[0]?.lookup_id ?? '', ...former_ids];
  const keys = ids.flatMap((id) => keyOf(id) ?? []);
  if (keys.length === 0) return;
  for (const other of open.keys()) if (ids.some((id) => areOfOneKey(id, other))) throw new WalletRejection('key_in_use');
  if (keys.some((key) => hasKey(settled_keys, key, at))) throw new WalletRejection('response_lost');
  if ((earlier_keys?.before ?? 0n) < first) throw new WalletRejection('key_history_moved', { before: first });
  if (earlier_keys && keys.some((key) => hasKey(earlier_keys.keys, key, at))) throw new WalletRejection('response_lost');
}

/** Returns the sum of each fee, in integer kobo. */
export function sumOfFees(breakdowns_kobo: readonly Readonly<Record<string, number>>[]): Readonly<Record<string, number>> {
  const [first = {}] = breakdowns_kobo;
  if (breakdowns_kobo.length <= 1) return first;
  const sums = new Map<string, number>();
  for (const fees of breakdowns_kobo) for (const [fee, kobo] of Object.entries(fees)) sums.set(fee, (sums.get(fee) ?? 0) + kobo);
  return Object.fromEntries(sums);
}

/** Returns the sum of the fees. @throws Error if a fee or their sum is not whole kobo of at least 0: fees come from a table, and a wrong row must not fill a wallet */
export function totalOf(fees_kobo: Readonly<Record<string, number>>): number {
  const fees = Object.values(fees_kobo);
  const total = fees.reduce((sum, fee) => sum + fee, 0);
  if ([...fees, total].every((kobo) => Number.isSafeInteger(kobo) && kobo >= 0)) return total;
  throw new Error('The fees of a charge must be whole kobo of at least 0.');
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
    const { debit_revision, rupa_id, amount_kobo, breakdown_kobo, vat_percent } = open;
    // Only a balance that an earlier release let grow beyond today's limit can come so far.
    if (!Number.isSafeInteger(current.balance_kobo + amount_kobo)) throw new WalletRejection('balance_limit');
    const charge = { lookup_id, debit_revision, rupa_id, amount_kobo, breakdown_kobo, ...recordedVat(vat_percent) };
    const data = { ...entry(command, current, amount_kobo), ...charge, reason: command.reason };
    const refunded: WalletEvent = { type: 'RefundIssued', data };
    current = after(current, refunded);
    return [refunded];
  });
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

/** Charges that one settlement closes. More would save little, and each of them is one more entry to fold when a state is restored from the log. */
const MAX_SETTLEMENTS = 64;

/**
 * Wallet streams are long and written often, so the states of the most recent ones are cached, and a state that is not cached is folded
 * from the last entries only (docs/adr/0002).
 */
export const WALLET_STREAMS: StreamKind<WalletState, WalletCommand, WalletEvent> = {
  category: 'wallet',
  decider: walletDecider,
  chained: true,
  maxCommandsPerAppend: 256,
  maxBytesPerAppend: 512 * 1024,
  cachedStates: 10_000,
  replayFrom,
  atRevision: (state, revision) => (state.revision === revision ? state : { ...state, revision }),
  maxDeferred: MAX_SETTLEMENTS,
  merge: mergeSettlements,
};
