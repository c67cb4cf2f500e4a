import { describe, expect, it } from '@jest/globals';
import { chained } from '../../../../test/support/unit/chained.js';
import { type WalletEvent } from './events.js';
import { type Prices } from './wallet-rules.js';
import { type ChainedEntry, type ChainHead, type WalletVerification, WalletVerifier } from './verify-wallet.js';

const at = (second: number): string => `2026-11-21T10:00:${String(second).padStart(2, '0')}.000Z`;
const entry = { partner_id: 'p1', actor: 'service' };
const bill = {
  source: 'loan',
  amount_kobo: 100_00,
  breakdown_kobo: { 'svc_fee.identity': 50_00, 'svc_fee.wallet': 50_00 },
  price_book_version: 1,
};

/** A wallet with a credit, two charges (the first grants a consent), one settlement, one refund and another credit. */
const walletEvents: readonly WalletEvent[] = [
  {
    type: 'WalletCredited',
    data: { ...entry, recorded_at: at(0), balance_after_kobo: 1_000_00, open_from_revision: null, amount_kobo: 1_000_00, reference: 'r1' },
  },
  {
    type: 'WalletDebited',
    data: { ...entry, recorded_at: at(1), balance_after_kobo: 900_00, open_from_revision: null, lookup_id: 'l1', rupa_id: 'rp-1', ...bill },
  },
  {
    type: 'ConsentGranted',
    data: {
      ...entry,
      recorded_at: at(1),
      balance_after_kobo: 900_00,
      open_from_revision: 1,
      lookup_id: 'l1',
      rupa_id: 'rp-1',
      source: 'loan',
    },
  },
  {
    type: 'WalletDebited',
    data: { ...entry, recorded_at: at(2), balance_after_kobo: 800_00, open_from_revision: 1, lookup_id: 'l2', rupa_id: 'rp-2', ...bill },
  },
  {
    type: 'ChargesSettled',
    data: {
      ...entry,
      recorded_at: at(3),
      balance_after_kobo: 800_00,
      open_from_revision: 1,
      charges: [{ lookup_id: 'l1', debit_revision: 1 }],
    },
  },
  {
    type: 'RefundIssued',
    data: {
      ...entry,
      recorded_at: at(4),
      balance_after_kobo: 900_00,
      open_from_revision: 3,
      lookup_id: 'l2',
      debit_revision: 3,
      rupa_id: 'rp-2',
      amount_kobo: 100_00,
      reason: 'failed',
    },
  },
  {
    type: 'WalletCredited',
    data: { ...entry, recorded_at: at(5), balance_after_kobo: 950_00, open_from_revision: null, amount_kobo: 50_00, reference: 'r2' },
  },
];

/** The same wallet after a reversal of a part of the last credit, the compensation of the settled lookup, another reversal, and a payout. */
const reversal = { open_from_revision: null, credit_reference: 'r2', kind: 'payment' as const, reason: 'a wrong credit' };
const payout = { open_from_revision: null, amount_kobo: 1_000_00, reference: 'out', reason: 'the partner closed its account' };
const compensation = { lookup_id: 'l1', debit_revision: 1, rupa_id: 'rp-1', amount_kobo: 100_00, reason: 'a complaint' };
const { breakdown_kobo } = bill;
const corrected: readonly WalletEvent[] = [
  ...walletEvents,
  {
    type: 'CreditReversed',
    data: { ...entry, ...reversal, recorded_at: at(6), balance_after_kobo: 930_00, amount_kobo: 20_00, reference: 'v1' },
  },
  {
    type: 'LookupCompensated',
    data: { ...entry, ...compensation, recorded_at: at(7), balance_after_kobo: 1_030_00, open_from_revision: null, breakdown_kobo },
  },
  {
    type: 'CreditReversed',
    data: { ...entry, ...reversal, recorded_at: at(8), balance_after_kobo: 1_000_00, amount_kobo: 30_00, reference: 'v2' },
  },
  { type: 'WalletPaidOut', data: { ...entry, ...payout, recorded_at: at(9), balance_after_kobo: 0 } },
];
const NOW = at(59);
/** One version, in which every fee is the same. */
const prices: Prices = {
  faultOf: ({ price_book_version, breakdown_kobo }) =>
    price_book_version === 1 && Object.values(breakdown_kobo).every((fee) => fee === 50_00) ? undefined : 'Its fees are wrong.',
};

function verify(entries: readonly ChainedEntry[], options: { since?: ChainHead; now?: string } = {}): WalletVerification {
  const verifier = new WalletVerifier('wallet-p1', prices, options.since);
  for (const each of entries) if (!verifier.add(each)) break;
  return verifier.result(options.now ?? NOW);
}

/** Returns the wallet as a forger would leave it: with one entry's data changed and all hashes recomputed. */
function rewritten(revision: number, change: object, events = walletEvents): ChainedEntry[] {
  return chained(
    events.map((event, index) => (index === revision ? ({ ...event, data: { ...event.data, ...change } } as WalletEvent) : event)),
  );
}

function headOf(entries: readonly ChainedEntry[], revision: number): ChainHead {
  return { revision, hash: entries[revision]?.metadata?.hash ?? '' };
}

describe('the verification of an unchanged wallet', () => {
  it('passes and returns the head', () => {
    const entries = chained(walletEvents);
    expect(verify(entries)).toStrictEqual({ ok: true, entries: 7, head: headOf(entries, 6), open_charges: 0, skipped: [], fault: null });
    expect(verify([])).toStrictEqual({ ok: true, entries: 0, head: null, open_charges: 0, skipped: [], fault: null });
  });

  it('accepts charges that are open for up to two minutes', () => {
    const entries = chained(walletEvents.slice(0, 4));
    expect(verify(entries, { now: '2026-11-21T10:02:01.000Z' })).toMatchObject({ ok: true, open_charges: 2 });
    expect(verify(entries, { now: '2026-11-21T10:02:01.001Z' })).toMatchObject({
      ok: false,
      entries: 4,
      fault: { revision: 1, rule: 'open_too_long', message: expect.stringContaining('l1') },
    });
  });

  it.each([
    ['half a minute', '2026-11-21T09:59:30.999Z'],
    ['an hour', '2026-11-21T09:00:00.000Z'],
    ['400 days', '2025-10-17T10:00:00.000Z'],
  ])('reports an open charge that is dated more than %s ahead', (_how, now) => {
    const entries = chained(walletEvents.slice(0, 4));
    const lastOpen = { revision: 3, rule: 'open_ahead', message: expect.stringContaining(now) };
    expect(verify(entries, { now })).toMatchObject({ ok: false, entries: 4, fault: lastOpen });
    expect(verify(chained(walletEvents), { now })).toMatchObject({ ok: true, open_charges: 0 });
  });
});

describe('the verification of a wallet whose hashes no longer fit', () => {
  const entries = chained(walletEvents);

  it.each<[string, string, number, (entries: ChainedEntry[]) => ChainedEntry[]]>([
    ['a changed amount', 'hash', 1, (all) => all.with(1, { ...entryAt(1), data: { ...entryAt(1).data, amount_kobo: 1 } })],
    ['a changed type', 'hash', 2, (all) => all.with(2, { ...entryAt(2), type: 'ConsentDenied' })],
    ['a changed hash', 'hash', 6, (all) => all.with(6, { ...entryAt(6), metadata: { hash: '0'.repeat(64) } })],
    [
      'a changed prev_hash of an entry that was recorded with one',
      'prev_hash',
      3,
      (all) => all.with(3, { ...entryAt(3), metadata: { prev_hash: '0'.repeat(64), hash: entryAt(3).metadata?.hash ?? '' } }),
    ],
    ['a missing entry', 'revision', 3, (all) => all.toSpliced(3, 1)],
    ['a missing first entry', 'revision', 0, (all) => all.slice(1)],
    ['two swapped entries', 'revision', 3, (all) => all.with(3, entryAt(4)).with(4, entryAt(3))],
    ['an entry of another wallet', 'stream', 0, () => chained(walletEvents, 'wallet-p2')],
    [
      'an entry without metadata',
      'hash',
      7,
      (all) => [
        ...all,
        { stream: 'wallet-p1', revision: 7n, type: 'WalletCredited', data: { ...entryAt(6).data, reference: 'r3' }, metadata: undefined },
      ],
    ],
    ['an entry without data', 'stream', 0, (all) => all.with(0, { ...entryAt(0), data: null })],
  ])('finds %s by the rule "%s" at revision %i', (_change, rule, revision, change) => {
    expect(verify(change([...entries]))).toMatchObject({
      ok: false,
      entries: revision,
      fault: { rule, revision, message: expect.stringMatching(/^[A-Z](?!.*undefined).*\.$/) },
    });
  });

  function entryAt(revision: number): ChainedEntry {
    const found = entries[revision];
    if (!found) throw new Error(`The wallet has no revision ${revision}.`);
    return found;
  }
});

describe('the verification of a wallet that was rewritten with fitting hashes', () => {
  it.each<[string, number, object]>([
    ['stream', 0, { partner_id: 'p2' }],
    ['shape', 1, { source: undefined }],
    ['shape', 1, { key_id: 1 }],
    ['shape', 0, { recorded_at: 'yesterday' }],
    ['shape', 1, { amount_kobo: 100.5 }],
    ['shape', 4, { charges: [null] }],
    ['recorded_at', 3, { recorded_at: at(0) }],
    ['breakdown', 1, { breakdown_kobo: { 'svc_fee.identity': 50_00 } }],
    ['balance', 0, { amount_kobo: 999_00 }],
    ['balance', 0, { balance_after_kobo: 2_000_00 }],
    ['balance', 2, { balance_after_kobo: 900_01 }],
    ['balance', 1, { amount_kobo: 1_100_00, breakdown_kobo: { fee: 1_100_00 }, balance_after_kobo: -100_00 }],
    ['open_from_revision', 3, { open_from_revision: null }],
    ['open_from_revision', 0, { open_from_revision: 0 }],
    ['reference', 6, { reference: 'r1' }],
    ['charge', 3, { lookup_id: 'l1' }],
    ['charge', 2, { rupa_id: 'rp-3' }],
    ['charge', 2, { lookup_id: 'l9' }],
    ['charge', 4, { charges: [{ lookup_id: 'l9', debit_revision: 1 }] }],
    ['charge', 4, { charges: [{ lookup_id: 'l1', debit_revision: 3 }] }],
    [
      'charge',
      4,
      {
        charges: [
          { lookup_id: 'l1', debit_revision: 1 },
          { lookup_id: 'l1', debit_revision: 1 },
        ],
      },
    ],
    ['charge', 5, { lookup_id: 'l1' }],
    ['charge', 5, { debit_revision: 1 }],
    ['charge', 5, { rupa_id: 'rp-1' }],
    ['charge', 5, { amount_kobo: 150_00, balance_after_kobo: 950_00 }],
    ['price', 1, { price_book_version: 2 }],
    ['price', 1, { amount_kobo: 1, breakdown_kobo: { 'svc_fee.identity': 1 }, balance_after_kobo: 999_99 }],
    ['price', 1, { breakdown_kobo: { 'svc_fee.identity': 40_00, 'svc_fee.wallet': 60_00 } }],
  ])('finds by the rule "%s" at revision %i the change %j', (rule, revision, change) => {
    expect(verify(rewritten(revision, change))).toMatchObject({
      ok: false,
      entries: revision,
      fault: { rule, revision, message: expect.stringMatching(/^[A-Z](?!.*undefined).*\.$/) },
    });
  });

  it('accepts corrections', () => {
    expect(verify(chained(corrected))).toMatchObject({ ok: true, entries: 11 });
  });

  it.each<[string, number, object]>([
    ['shape', 7, { kind: 'gift' }],
    ['shape', 8, { breakdown_kobo: null }],
    ['reference', 7, { reference: 'r2' }],
    ['reference', 10, { reference: 'v2' }],
    ['balance', 10, { amount_kobo: 1_000_01, balance_after_kobo: -1 }],
    ['balance', 10, { amount_kobo: 999_99 }],
    ['shape', 10, { reason: null }],
    ['reversal', 7, { credit_reference: 'r9' }],
    ['reversal', 7, { kind: 'goodwill' }],
    ['reversal', 7, { amount_kobo: 50_01, balance_after_kobo: 899_99 }],
    ['reversal', 9, { amount_kobo: 30_01, balance_after_kobo: 999_99 }],
    ['breakdown', 8, { breakdown_kobo: { 'svc_fee.identity': 100_01 } }],
    ['compensation', 8, { breakdown_kobo: { 'svc_fee.identity': 100_00 } }],
    ['compensation', 8, { lookup_id: 'l2', debit_revision: 3, rupa_id: 'rp-2' }],
    ['compensation', 8, { debit_revision: 2 }],
    ['compensation', 8, { debit_revision: 99_999 }],
    ['compensation', 8, { rupa_id: 'rp-2' }],
    ['approval', 8, { actor: 'admin:amina', approval_id: 'a-1', approved_by: 'admin:AMINA' }],
    ['approval', 8, { approved_by: 'admin:bode' }],
    ['approval', 8, { approval_id: 'a-1' }],
  ])('finds by the rule "%s" at revision %i the changed correction %j', (rule, revision, change) => {
    expect(verify(rewritten(revision, change, corrected))).toMatchObject({
      ok: false,
      entries: revision,
      fault: { rule, revision, message: expect.stringMatching(/^[A-Z](?!.*undefined).*\.$/) },
    });
  });

  it('finds a second compensation of a lookup', () => {
    const again = { ...corrected[8], data: { ...corrected[8]?.data, recorded_at: at(10), balance_after_kobo: 100_00 } } as WalletEvent;
    expect(verify(chained([...corrected, again]))).toMatchObject({ fault: { rule: 'compensation', revision: 11 } });
  });

  it('finds a refund whose fees are not those of the charge', () => {
    const breakdown_kobo = { 'svc_fee.identity': 100_00 };
    expect(verify(rewritten(5, { breakdown_kobo }))).toMatchObject({ fault: { rule: 'charge', revision: 5 } });
    expect(verify(rewritten(5, { breakdown_kobo: bill.breakdown_kobo }))).toMatchObject({ ok: true });
  });

  it('finds a refund and a compensation whose rate of VAT is not that of the charge', () => {
    const taxed = (events: readonly WalletEvent[], revisions: readonly number[]): ChainedEntry[] =>
      chained(
        events.map((event, revision) =>
          revisions.includes(revision) ? ({ ...event, data: { ...event.data, breakdown_kobo, vat_percent: 7.5 } } as WalletEvent) : event,
        ),
      );
    expect(verify(taxed(corrected, [1, 3, 5, 8]))).toMatchObject({ ok: true });
    expect(verify(taxed(corrected, [1, 3, 8]))).toMatchObject({ fault: { rule: 'charge', revision: 5 } });
    expect(verify(taxed(corrected, [5]))).toMatchObject({ fault: { rule: 'charge', revision: 5 } });
    expect(verify(taxed(corrected, [1, 3, 5]))).toMatchObject({ fault: { rule: 'compensation', revision: 8 } });
    expect(verify(taxed(corrected, [8]))).toMatchObject({ fault: { rule: 'compensation', revision: 8 } });
    const withoutFees = walletEvents.map((event, revision) =>
      revision === 3 || revision === 5 ? ({ ...event, data: { ...event.data, vat_percent: 7.5 } } as WalletEvent) : event,
    );
    expect(verify(chained(withoutFees))).toMatchObject({ fault: { rule: 'charge', revision: 5 } });
    expect(verify(rewritten(1, { vat_percent: 7.555 }))).toMatchObject({ fault: { rule: 'shape', revision: 1 } });
  });

  it('finds an unknown entry type', () => {
    const [first] = walletEvents;
    expect(verify(chained([{ ...first, type: 'constructor' } as unknown as WalletEvent]))).toMatchObject({
      fault: { rule: 'shape', revision: 0 },
    });
  });

  it('finds a charge that is closed twice', () => {
    const data = { ...walletEvents[5]?.data, balance_after_kobo: 1_000_00, open_from_revision: null };
    const again = { ...walletEvents[5], data } as WalletEvent;
    expect(verify(chained([...walletEvents.slice(0, 6), again]))).toMatchObject({ fault: { rule: 'charge', revision: 6 } });
  });

  it('finds a rewritten entry by a head that was noted earlier', () => {
    const since = headOf(chained(walletEvents), 2);
    const forged = rewritten(0, { actor: 'forger' });
    expect(verify(forged)).toMatchObject({ ok: true });
    expect(verify(forged, { since })).toMatchObject({ ok: false, entries: 2, fault: { rule: 'since', revision: 2 } });
  });

  it('finds a truncated wallet by a head that was noted earlier', () => {
    const entries = chained(walletEvents);
    const since = headOf(entries, 6);
    expect(verify(entries, { since })).toMatchObject({ ok: true });
    expect(verify(entries.slice(0, 6))).toMatchObject({ ok: true });
    expect(verify(entries.slice(0, 6), { since })).toMatchObject({ ok: false, entries: 6, fault: { rule: 'since', revision: 6 } });
    expect(verify([], { since })).toMatchObject({ ok: false, head: null, fault: { rule: 'since', revision: 6 } });
  });
});
