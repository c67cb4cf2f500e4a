import { type WalletEvent } from '../../src/contexts/wallet/domain/events.js';
import { booksKept } from './books-kept.js';
import { PriceHistory } from '../../src/contexts/pricing/domain/price-history.js';
import { BUILT_IN } from '../../src/contexts/pricing/domain/price-timeline.js';
import { type ChainedEntry, WalletVerifier } from '../../src/contexts/wallet/domain/verify-wallet.js';
import { type Prices } from '../../src/contexts/wallet/domain/wallet-rules.js';

/**
 * A lookup as the partner saw it: all requests with one Idempotency-Key, or one request without a key. Each lookup has its own `source`.
 */
export interface SeenLookup {
  readonly source: string;
  /** The farmer, for a lookup of a list, whose lookups have one source. */
  readonly rupa_id?: string;
  /** Number of farmers in the list. */
  readonly farmers?: number;
  /** Whether the list may be charged in part. */
  readonly isPartial?: boolean;
  readonly keyed: boolean;
  /** The status of each request; 0 if no response arrived. */
  readonly statuses: readonly number[];
  /** The bodies of the responses with status 200. */
  readonly responses: readonly string[];
  /** Whether the responding process was killed, or cut off from both stores, so that nobody could know of the response. */
  readonly responderHindered: boolean;
  /** Whether the service wrote a response to the socket; undefined if that is unknown. */
  readonly handedOver?: boolean;
}

export interface SeenCredit {
  readonly reference: string;
  readonly amount_kobo: number;
  /** Whether a response confirmed the credit. */
  readonly acknowledged: boolean;
}

/** A reversal of a credit, a payout, or a compensation of a lookup, as the administrator saw it. */
export interface SeenCorrection {
  readonly type: 'CreditReversed' | 'WalletPaidOut' | 'LookupCompensated';
  /** The reference of the reversal or the payout, or the lookup's id. */
  readonly id: string;
  readonly amount_kobo: number;
  /** Whether the response said that the request, rather than an earlier one, recorded the correction. */
  readonly created: boolean;
}

export interface Seen {
  readonly lookups: readonly SeenLookup[];
  readonly credits: readonly SeenCredit[];
  /** Corrections that a response confirmed. */
  readonly corrections?: readonly SeenCorrection[];
}

export interface Ledger {
  readonly stream: string;
  readonly entries: readonly ChainedEntry[];
}

interface Debit {
  readonly lookup_id: string;
  readonly source: string;
  readonly rupa_id: string;
  settled: number;
  readonly refunds: string[];
}

/** Returns a sentence for each fault in a wallet's log, or between the log and what its partner saw, once every lookup has ended. */
export function brokenInvariants(ledger: Ledger, seen: Seen, now: string, prices?: Prices): string[] {
  const events = ledger.entries as unknown as readonly WalletEvent[];
  const debits = debitsOf(events);
  const bySource = Map.groupBy(debits, ({ source }) => source);
  return [
    ...chainUnbroken(ledger, now, prices),
    ...moneyConserved(events),
    ...booksKept(events),
    ...chargesClosedOnce(debits),
    ...seen.lookups.flatMap((lookup) => lookupBilled(lookup, ofFarmer(bySource.get(lookup.source) ?? [], lookup.rupa_id))),
    ...seen.lookups.flatMap((lookup) => chargedTogether(lookup, bySource.get(lookup.source) ?? [])),
    ...creditsOnce(events, seen.credits),
    ...correctionsOnce(events, seen.corrections ?? []),
  ];
}

/** @param prices those of the wallet; by default the built-in ones, which are in force in every test that publishes none */
export function chainUnbroken({ stream, entries }: Ledger, now: string, prices: Prices = new PriceHistory(BUILT_IN)): string[] {
  const verifier = new WalletVerifier(stream, prices);
  for (const entry of entries) verifier.add(entry);
  const { fault } = verifier.result(now);
  return fault ? [`The wallet does not verify: revision ${fault.revision}, ${fault.rule}: ${fault.message}`] : [];
}

/** Checks that every balance is the sum of the entries so far and never negative. */
export function moneyConserved(events: readonly WalletEvent[]): string[] {
  let balance = 0;
  const faults: string[] = [];
  for (const [revision, { type, data }] of events.entries()) {
    if (type === 'WalletCredited' || type === 'RefundIssued' || type === 'LookupCompensated') balance += data.amount_kobo;
    if (type === 'WalletDebited' || type === 'CreditReversed' || type === 'WalletPaidOut') balance -= data.amount_kobo;
    if (data.balance_after_kobo !== balance)
      faults.push(`Revision ${revision} has the balance ${data.balance_after_kobo} kobo; the entries sum to ${balance}.`);
    if (balance < 0) faults.push(`At revision ${revision} the balance is ${balance} kobo.`);
  }
  return faults;
}

/** Checks that no id is debited twice (docs/adr/0006) and that each debit is settled or refunded exactly once. */
function chargesClosedOnce(debits: readonly Debit[]): string[] {
  const faults = debits.flatMap(({ lookup_id, settled, refunds }) => {
    const closed = settled + refunds.length;
    return closed === 1 ? [] : [`The charge ${lookup_id} was closed ${closed} times (settled ${settled}, refunded ${refunds.length}).`];
  });
  const again = [...Map.groupBy(debits, ({ lookup_id }) => lookup_id)].filter(([, each]) => each.length > 1);
  return [...faults, ...again.map(([id]) => `The lookup ${id} was debited twice.`)];
}

interface Listed {
  readonly rupa_id: string;
  readonly outcome: string;
}

/**
 * Returns what a partner saw of each lookup of a list. One that was not charged counts as one that got 402.
 * @param list what it saw of the whole list
 */
export function seenOfList(list: SeenLookup, rupaIds: readonly string[], isPartial: boolean): SeenLookup[] {
  const results = list.responses.map((response) => (JSON.parse(response) as { data: { results: Listed[] } }).data.results);
  return rupaIds.map((rupa_id) => {
    const found = results.map((each) => each.find((result) => result.rupa_id === rupa_id));
    const isCharged = found[0]?.outcome === 'found';
    return {
      ...list,
      rupa_id,
      farmers: rupaIds.length,
      isPartial,
      responses: found.map((each) => JSON.stringify(each)),
      statuses: list.statuses.map((status) => (status === 200 && !isCharged ? 402 : status)),
    };
  });
}

function ofFarmer(debits: readonly Debit[], rupaId: string | undefined): readonly Debit[] {
  return rupaId === undefined ? debits : debits.filter(({ rupa_id }) => rupa_id === rupaId);
}

/** Checks that a list was charged as a whole or not at all, unless it may be charged in part. */
function chargedTogether({ source, farmers = 1, isPartial = false }: SeenLookup, debits: readonly Debit[]): string[] {
  const charged = debits.filter(({ refunds }) => refunds.length === 0).length;
  return isPartial || charged === 0 || charged === farmers ? [] : [`Of the ${farmers} lookups of ${source}, ${charged} were charged.`];
}

function lookupBilled(lookup: SeenLookup, debits: readonly Debit[]): string[] {
  const { source, keyed, statuses, responses, handedOver } = lookup;
  const charged = debits.filter(({ refunds }) => refunds.length === 0).length;
  const said = `${keyed ? 'The lookup with a key' : 'The lookup'} ${source}, with the statuses ${statuses.join(', ')},`;
  const faults: string[] = [];
  if (!keyed && debits.length > 1) faults.push(`${said} was debited ${debits.length} times.`);
  if (charged > 1) faults.push(`${said} was charged ${charged} times.`);
  if (new Set(responses).size > 1) faults.push(`${said} got different responses.`);
  if (statuses.includes(200)) {
    if (charged === 0 && !refundedInFavour(lookup, debits)) faults.push(`${said} was not charged: ${debits.length} debits.`);
  } else if (charged > 0) {
    // Without a key, a rejection or an error is never charged; with a key, a stored response can still be fetched.
    if (!keyed && !statuses.includes(0)) faults.push(`${said} was charged.`);
    if (handedOver === false) faults.push(`${said} was charged, though no response was handed over or stored.`);
  }
  return faults;
}

/** Without a key, the sweep cannot know that a response was sent just before a process was lost, so it refunds in the partner's favour. */
function refundedInFavour({ keyed, responderHindered }: SeenLookup, debits: readonly Debit[]): boolean {
  const [debit] = debits;
  return !keyed && responderHindered && debits.length === 1 && debit?.refunds[0] === 'no response was sent for the lookup';
}

export function creditsOnce(events: readonly WalletEvent[], credits: readonly SeenCredit[]): string[] {
  const recorded = events.flatMap(({ type, data }) => (type === 'WalletCredited' ? [data] : []));
  const byReference = Map.groupBy(recorded, ({ reference }) => reference);
  return [...new Set([...credits, ...recorded].map(({ reference }) => reference))].flatMap((reference) => {
    const found = byReference.get(reference) ?? [];
    const faults = found.length > 1 ? [`The credit ${reference} was recorded ${found.length} times.`] : [];
    const lost = credits.some(
      (credit) => credit.reference === reference && credit.acknowledged && found[0]?.amount_kobo !== credit.amount_kobo,
    );
    return lost ? [...faults, `The credit ${reference} was acknowledged and is not in the log.`] : faults;
  });
}

/** Checks that each confirmed correction is in the log once, with the confirmed amount, and was reported as created at most once. */
function correctionsOnce(events: readonly WalletEvent[], corrections: readonly SeenCorrection[]): string[] {
  const recorded = events.flatMap(({ type, data }) => {
    if (type === 'CreditReversed' || type === 'WalletPaidOut') return [{ key: `${type} ${data.reference}`, amount_kobo: data.amount_kobo }];
    return type === 'LookupCompensated' ? [{ key: `${type} ${data.lookup_id}`, amount_kobo: data.amount_kobo }] : [];
  });
  const keyOf = ({ type, id }: SeenCorrection): string => `${type} ${id}`;
  const faults = [...Map.groupBy(recorded, ({ key }) => key)].flatMap(([key, each]) =>
    each.length > 1 ? [`${key} was recorded ${each.length} times.`] : [],
  );
  const unlike = corrections.filter((each) => recorded.find(({ key }) => key === keyOf(each))?.amount_kobo !== each.amount_kobo);
  const created = [
    ...Map.groupBy(
      corrections.filter((each) => each.created),
      keyOf,
    ),
  ].filter(([, each]) => each.length > 1);
  return [
    ...faults,
    ...unlike.map((each) => `${keyOf(each)} of ${each.amount_kobo} kobo was confirmed and is not in the log.`),
    ...created.map(([key]) => `${key} was confirmed as created more than once.`),
  ];
}

function debitsOf(events: readonly WalletEvent[]): Debit[] {
  const debits: Debit[] = [];
  const newest = new Map<string, Debit>();
  for (const { type, data } of events) {
    if (type === 'WalletDebited') {
      const debit = { lookup_id: data.lookup_id, source: data.source, rupa_id: data.rupa_id, settled: 0, refunds: [] };
      debits.push(debit);
      newest.set(data.lookup_id, debit);
    }
    if (type === 'RefundIssued') newest.get(data.lookup_id)?.refunds.push(data.reason);
    for (const { lookup_id } of type === 'ChargesSettled' ? data.charges : []) {
      const debit = newest.get(lookup_id);
      if (debit) debit.settled += 1;
    }
  }
  return debits;
}
