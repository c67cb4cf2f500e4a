import { beforeAll, describe, expect, it } from '@jest/globals';
import { NoteSigner } from '../../src/contexts/evidence/domain/signed-note.js';
import { auditsOf, type Finding, type Log, runOf } from '../support/audit-programs.js';
import { evidenceOfEverything, SIGNER } from '../support/evidence-events.js';
import { edited, type EvidenceLine, fileText, rebuilt, signedNote } from '../support/evidence-history.js';

const FORGER = new NoteSigner(SIGNER.name, Buffer.alloc(32, 8));
const HOLDS = { status: 0, last: undefined };

let lines: readonly EvidenceLine[];
beforeAll(async () => {
  ({ lines } = await evidenceOfEverything());
});

const noteOf = (size: number, of = lines): string => signedNote(of.slice(0, size), SIGNER);
type Where = (line: EvidenceLine) => boolean;
const ofType =
  (type: string, text = ''): Where =>
  (line) =>
    line.type === type && line.data.includes(text);
const indexOf = (where: Where, of = lines): number => of.findIndex(where);

/** Returns the log with the first such line changed. */
const changed = (where: Where, data: object, metadata: object = {}): EvidenceLine[] =>
  lines.map((line, index) => (index === indexOf(where) ? edited(line, { data: { ...data }, metadata: { ...metadata } }) : line));
const without = (where: Where): EvidenceLine[] => lines.filter((_, index) => index !== indexOf(where));
/** Returns the log with a line after another one, which has a new id. */
function withAfter(where: Where, line: EvidenceLine | undefined): EvidenceLine[] {
  if (!line) throw new Error('There is no such line.');
  const at = indexOf(where) + 1;
  return [...lines.slice(0, at), { ...line, id: '11111111-2222-4333-8444-555555555555' }, ...lines.slice(at)];
}
const lineOf = (where: Where): EvidenceLine => lines[indexOf(where)] as EvidenceLine;

const debit = (lookup: string): Where => ofType('WalletDebited', `"lookup_id":"${lookup}"`);
const lastCredit = ofType('WalletCredited', '"reference":"last"');
const thanks = ofType('WalletCredited', '"reference":"thanks"');
const settled = ofType('ChargesSettled', '"lookup_id":"l1"');
const refunded = ofType('RefundIssued');
const refundedWithVat = ofType('RefundIssued', '"lookup_id":"l7"');
const reversed = ofType('CreditReversed');
const net = ofType('WalletCredited', '"reference":"net"');
const approved = ofType('WalletCredited', '"reference":"large"');
const paidOut = ofType('WalletPaidOut');
const entry = (reference: string): Where => ofType('LedgerEntryPosted', `"reference":"${reference}"`);
const raised = ofType('PriceBookPublished', '"version":2');
const scheduled = ofType('PriceBookPublished', '"version":3');
const checkpoint = ofType('CheckpointSigned');
const begunBy = (line: EvidenceLine): Where => {
  const { $correlationId: id } = JSON.parse(line.metadata) as { $correlationId: string };
  return ({ type, metadata }) => type === 'AdminCallBegun' && metadata.includes(id);
};

type Change = object | ((data: { balance_after_kobo: number; amount_kobo: number }) => object);

/** An event that somebody changed, who then recomputed the hashes of the wallet after it. */
const CHANGED: readonly (readonly [what: string, rule: string, where: Where, data: Change])[] = [
  ['an amount that was changed', 'balance', lastCredit, { amount_kobo: 2_00 }],
  ['a fee that was changed', 'balance', debit('l1'), { fees: [0, 50_00, 1, 50_00, 2, 60_00, 3, 1] }],
  [
    'a fee and the balance after it',
    'price',
    debit('l4'),
    (data) => ({ fees: [0, 59_99], balance_after_kobo: data.balance_after_kobo + 1 }),
  ],
  [
    'a balance below 0',
    'balance',
    reversed,
    (data) => ({ amount_kobo: 200_000_00, balance_after_kobo: data.balance_after_kobo + data.amount_kobo - 200_000_00 }),
  ],
  ['a price that was never published', 'price', debit('l4'), { price_book_version: 4 }],
  ['the price of an earlier book', 'price', debit('l6'), { price_book_version: 2 }],
  ['a charge without what is passed through', 'price', debit('l4'), { fees: [1, 60_00] }],
  ['a charge by the key of another partner', 'author', debit('l4'), { actor: 'key:k-shop' }],
  ['a charge by nobody', 'author', debit('l4'), { actor: 'service' }],
  ["a credit's reference twice", 'reference', lastCredit, { reference: 'opening' }],
  ["a reversal with a credit's reference", 'reference', reversed, { reference: 'thanks' }],
  ['a payment whose deductions leave nothing', 'deductions', net, { bank_fee_kobo: 190_00 }],
  ['a payment with a fraction of a kobo as its bank fee', 'shape', net, { bank_fee_kobo: 0.5 }],
  ['goodwill with a withheld tax', 'deductions', thanks, { withheld_tax_kobo: 1 }],
  ['a reversal of more of the withheld tax', 'reversal', ofType('CreditReversed', 'back-2'), { withheld_tax_kobo: 8_00 }],
  [
    'a reversal that takes the bank fee before the tax',
    'reversal',
    ofType('CreditReversed', 'back-2'),
    { withheld_tax_kobo: 2_00, bank_fee_kobo: 5_00 },
  ],
  ["a payout with a credit's reference", 'reference', paidOut, { reference: 'thanks' }],
  ['a payout of more than the balance', 'balance', paidOut, { amount_kobo: 100_000_000_00 }],
  ['a payout by nobody', 'author', paidOut, { actor: 'service' }],
  ['a ledger entry posted twice under one reference', 'reference', entry('settle-2'), { reference: 'settle-1' }],
  ['more settled than is owed to a provider', 'bound', entry('settle-2'), { amount_kobo: 15_01 }],
  ['more VAT remitted than there was', 'bound', entry('vat-1'), { amount_kobo: 70_01 }],
  ['more tax certified than was withheld', 'bound', entry('wht-1'), { amount_kobo: 1_000_00 }],
  ['a reversal of another amount than its entry', 'reversal', entry('undo-1'), { amount_kobo: 14_00 }],
  ['a reversal of an entry that is not there', 'reversal', entry('undo-1'), { of: 'settle-3' }],
  ['a reversal of another kind than its entry', 'reversal', entry('undo-1'), { of_kind: 'vat_remittance' }],
  ['a settlement with an unknown provider', 'entry', entry('settle-1'), { account: 'nobody' }],
  ['an opening balance of income', 'entry', entry('open-1'), { account: 'revenue.identity' }],
  ['a ledger entry that is dated ahead', 'entry', entry('charge-1'), { date: '2026-04-01' }],
  ['a ledger entry by nobody', 'author', entry('charge-1'), { actor: 'service' }],
  ['a ledger entry in the books of the other mode', 'shape', entry('charge-1'), { mode: 'sandbox' }],
  ['a reversal of a credit that is not there', 'reversal', reversed, { credit_reference: 'none' }],
  ['a reversal of a credit of another kind', 'reversal', reversed, { kind: 'goodwill' }],
  ['a settlement that names another debit', 'charge', settled, { charges: [{ lookup_id: 'l2', debit_revision: 3 }] }],
  ['a settlement of a charge twice in one entry', 'charge', settled, { charges: Array(2).fill({ lookup_id: 'l1', debit_revision: 3 }) }],
  ['a charge that was settled twice', 'charge', ofType('ChargesSettled', 'l3c'), { charges: [{ lookup_id: 'l1', debit_revision: 3 }] }],
  ['a charge that was settled and then refunded', 'charge', refunded, { lookup_id: 'l1', debit_revision: 3 }],
  ['a lookup that was charged twice', 'charge', debit('l2'), { lookup_id: 'l1' }],
  ['a refund of more than its fees', 'breakdown', refunded, { amount_kobo: 700_00 }],
  ['a refund to another farmer', 'charge', refunded, { rupa_id: 'rp-9' }],
  ['a compensation of a lookup that was never charged', 'compensation', ofType('LookupCompensated'), { lookup_id: 'l9' }],
  ['an oldest open charge that is not', 'open_from_revision', refunded, { open_from_revision: 3 }],
  ['a consent to a farmer who was not looked up', 'charge', ofType('ConsentGranted'), { rupa_id: 'rp-9' }],
  ['an author who was replaced', 'author', thanks, { actor: 'admin:amina' }],
  ['a command of another person', 'author', ofType('IpAllowListChanged'), { actor: 'cli:bayo' }],
  ['a credit by the service itself', 'author', lastCredit, { actor: 'service' }],
  ['a price by nobody', 'author', raised, { actor: 'demo' }],
  ['a credit that its author approved', 'author', lastCredit, { approved_by: 'admin:amina' }],
  [
    'a larger credit without a second person',
    'approval',
    approved,
    { actor: 'admin:bayo', approval_id: undefined, approved_by: undefined },
  ],
  ['a credit that its author approved under another case of the name', 'author', approved, { approved_by: 'admin:AMINA' }],
  ['a credit that somebody else has approved', 'author', approved, { approved_by: 'admin:chidi' }],
  ['a credit of another person than the one who asked', 'author', approved, { actor: 'admin:chidi' }],
  ['a credit that names no approval', 'author', approved, { approval_id: undefined }],
  [
    'a credit of more than was approved',
    'approval',
    approved,
    (data) => ({ amount_kobo: data.amount_kobo + 1, balance_after_kobo: data.balance_after_kobo + 1 }),
  ],
  ['an approval by the person who asked', 'author', ofType('ApprovalGranted'), { actor: 'admin:amina' }],
  ['a request by nobody', 'author', ofType('ApprovalRequested'), { actor: 'service' }],
  ['a limit with a fraction of a kobo', 'shape', ofType('ApprovalLimitSet'), { limit_kobo: 0.5 }],
  ['an event that is dated back', 'time', lastCredit, { recorded_at: '2026-02-28T09:00:00.000Z' }],
  ['an event that is dated ahead', 'time', raised, { recorded_at: '2026-03-02T08:00:00.000Z' }],
  ['an entry that is dated a little before the one before it', 'recorded_at', refunded, { recorded_at: '2026-03-01T08:00:00.001Z' }],
  ['a version of the price book that was left out', 'price_book', scheduled, { version: 4 }],
  ['a schedule that was fulfilled with other fees', 'price_book', scheduled, { fees_kobo: {} }],
  ['a schedule that another author fulfilled', 'price_book', scheduled, { actor: 'admin:amina' }],
  ['a schedule that was fulfilled before its time', 'price_book', scheduled, { recorded_at: '2026-03-01T09:01:00.000Z' }],
  ['a rate of VAT with three decimals', 'shape', raised, { vat_percent: 7.555 }],
  ['a rate of VAT above 100', 'shape', raised, { vat_percent: 100.01 }],
  ['a rate of VAT that is a text', 'shape', debit('l4'), { vat_percent: '7.5' }],
  ['a schedule that was fulfilled with another rate of VAT', 'price_book', scheduled, { vat_percent: 7.5 }],
  ['a charge with another rate of VAT', 'price', debit('l6'), { vat_percent: 7.5 }],
  ['a charge whose VAT was left out', 'price', debit('l4'), { vat_percent: undefined }],
  ['a charge with VAT by a price book without', 'price', debit('l1'), { vat_percent: 7.5 }],
  ['a refund with more VAT than its charge', 'charge', refundedWithVat, { vat_percent: 100 }],
  ['a refund whose VAT was left out', 'charge', refundedWithVat, { vat_percent: undefined }],
  ['a refund without fees that leaves its VAT out, too', 'charge', refundedWithVat, { breakdown_kobo: undefined, vat_percent: undefined }],
  ['a refund of a charge with VAT that leaves its fees out', 'charge', refundedWithVat, { breakdown_kobo: undefined }],
  ['a refund with VAT of a charge without', 'charge', refunded, { vat_percent: 7.5 }],
  ['a compensation with another rate of VAT', 'compensation', ofType('LookupCompensated'), { vat_percent: 10 }],
  ['a compensation whose VAT was left out', 'compensation', ofType('LookupCompensated'), { vat_percent: undefined }],
  ['a field of the wrong kind', 'shape', lastCredit, { amount_kobo: '100' }],
  ['an amount that is not exact', 'shape', lastCredit, { amount_kobo: 100.5 }],
  ['an entry of another wallet', 'shape', lastCredit, { partner_id: 'shop' }],
  ['a checkpoint of more events than it says', 'checkpoint', checkpoint, { tree_size: 1 }],
  ['a call whose begin is not recorded', 'audit', ofType('AdminCallEnded', 'cli'), { call_id: 'another' }],
];

/** A falsified log, with the first event that does not hold, the rule, the notes that somebody kept and the keys. */
interface Falsified {
  readonly log: Log;
  readonly at: number;
  readonly rule: string;
  readonly notes?: readonly string[];
  readonly keys?: string;
}

const KEPT = 31;
const kept = (): string[] => [noteOf(lines.length), noteOf(KEPT)];

const FALSIFIED: readonly (readonly [what: string, () => Falsified])[] = [
  ['an amount without its hash', () => ({ log: changed(lastCredit, { amount_kobo: 2_00 }), at: indexOf(lastCredit), rule: 'hash' })],
  [
    'an entry that builds upon another one',
    () => ({ log: changed(lastCredit, {}, { prev_hash: 'f'.repeat(64) }), at: indexOf(lastCredit), rule: 'prev_hash' }),
  ],
  ['an entry without a hash', () => ({ log: changed(lastCredit, {}, { hash: undefined }), at: indexOf(lastCredit), rule: 'shape' })],
  ['an event that was removed', () => ({ log: without(raised), at: indexOf(raised), rule: 'index' })],
  [
    'a gap of revisions',
    () => {
      const log = lines.map((line, index) => (index === indexOf(lastCredit) ? { ...line, revision: line.revision + 1 } : line));
      return { log, at: indexOf(lastCredit), rule: 'revision' };
    },
  ],
  ['a price book that was removed', () => ({ log: rebuilt(without(raised)), at: indexOf(debit('l3c')) - 1, rule: 'price' })],
  [
    'a rate of VAT that was changed in the price book',
    () => ({ log: rebuilt(changed(raised, { vat_percent: 7.55 })), at: indexOf(debit('l3c')), rule: 'price' }),
  ],
  [
    'a charge that was removed',
    () => ({ log: rebuilt(without(debit('l5'))), at: indexOf(ofType('ChargesSettled', 'l5')) - 1, rule: 'balance' }),
  ],
  [
    'a settlement that was removed at the end of a wallet',
    () => ({ log: rebuilt(without(ofType('ChargesSettled', 'l6'))), at: indexOf(approved) - 1, rule: 'open_from_revision' }),
  ],
  [
    'a settlement that was removed with the rest of its wallet',
    () => ({ log: rebuilt(without(ofType('ChargesSettled', 'l5'))), at: indexOf(debit('l5')), rule: 'open_too_long' }),
  ],
  [
    'a partner that was removed',
    () => ({
      log: rebuilt(without(ofType('PartnerRegistered', 'shop'))),
      at: indexOf(ofType('WalletCredited', '"shop"')) - 1,
      rule: 'partner',
    }),
  ],
  [
    'an audit entry that was removed',
    () => ({ log: rebuilt(without(begunBy(lineOf(lastCredit)))), at: indexOf(lastCredit) - 1, rule: 'author' }),
  ],
  [
    'a decision to skip that was removed',
    () => ({ log: rebuilt(without(ofType('EventSkipped'))), at: indexOf(ofType('Note')), rule: 'shape' }),
  ],
  [
    'an event of an unknown type',
    () => ({ log: rebuilt(withAfter(raised, { ...lineOf(raised), type: 'PriceBookBurnt' })), at: indexOf(raised) + 1, rule: 'shape' }),
  ],
  [
    'an id that occurs twice',
    () => {
      const log = lines.map((line, index) => (index === indexOf(lastCredit) ? { ...line, id: lineOf(raised).id } : line));
      return { log, at: indexOf(lastCredit), rule: 'id' };
    },
  ],
  [
    'a read that was removed from the audit trail',
    () => ({ log: rebuilt(without(ofType('AdminCallEnded', '"GET"'))), at: lines.length - 1, rule: 'size', notes: kept() }),
  ],
  [
    'an event that was added',
    () => {
      const { balance_after_kobo, amount_kobo } = JSON.parse(lineOf(lastCredit).data) as {
        balance_after_kobo: number;
        amount_kobo: number;
      };
      const more = edited(lineOf(lastCredit), { data: { reference: 'more', balance_after_kobo: balance_after_kobo + amount_kobo } });
      return { log: rebuilt(withAfter(lastCredit, more)), at: KEPT, rule: 'root', notes: kept() };
    },
  ],
  [
    'two events that were exchanged',
    () => {
      const at = indexOf(ofType('AdminCallEnded', '"GET"'));
      const [one, other] = lines.slice(at, at + 2) as [EvidenceLine, EvidenceLine];
      return { log: rebuilt([...lines.slice(0, at), other, one, ...lines.slice(at + 2)]), at: KEPT, rule: 'root', notes: kept() };
    },
  ],
  ['an amount nobody could check', () => ({ log: rebuilt(changed(lastCredit, { reason: 'x' })), at: KEPT, rule: 'root', notes: kept() })],
  ['a shorter log', () => ({ log: lines.slice(0, -2), at: lines.length - 2, rule: 'size', notes: kept() })],
  [
    'a checkpoint signed by another key',
    () => ({ log: lines, at: KEPT, rule: 'signature', notes: [noteOf(KEPT), signedNote(lines, FORGER)] }),
  ],
  [
    'a checkpoint with another root',
    () => ({
      log: lines,
      at: indexOf(checkpoint),
      rule: 'signature',
      notes: [noteOf(9).replace(/^(.*\n9\n)(.)/, (_, before, first) => `${String(before)}${first === 'A' ? 'B' : 'A'}`)],
    }),
  ],
  ['keys of another log', () => ({ log: lines, at: indexOf(checkpoint), rule: 'checkpoint', keys: FORGER.verifierKey })],
  [
    'a checkpoint in the log that another key signed',
    () => ({
      log: changed(checkpoint, { note: signedNote(lines.slice(0, indexOf(checkpoint)), FORGER) }),
      at: indexOf(checkpoint),
      rule: 'checkpoint',
    }),
  ],
  [
    'a change before a checkpoint in the log',
    () => ({ log: rebuilt(changed(ofType('Noted'), { text: 'another' })), at: indexOf(checkpoint), rule: 'checkpoint' }),
  ],
  ['a file that is cut off', () => ({ log: fileText(lines).slice(0, -20), at: lines.length - 1, rule: 'line' })],
  ['a line that is none', () => ({ log: `${fileText(lines.slice(0, 3))}\n${fileText(lines.slice(3))}`, at: 3, rule: 'line' })],
  [
    'a line without its data',
    () => ({
      log: fileText(lines.map(({ data, ...line }) => (line.index === 5 ? line : { ...line, data })) as EvidenceLine[]),
      at: 5,
      rule: 'line',
    }),
  ],
];

/** The first event that does not hold in each falsified log, the rule, and what the programs find. */
function findings(): Map<string, { at: number; rule: string; found: Finding | undefined }> {
  const changes = CHANGED.map(([what, rule, where, data]): readonly [string, Falsified] => {
    const change = typeof data === 'function' ? (data as (data: unknown) => object)(JSON.parse(lineOf(where).data)) : data;
    return [what, { log: rebuilt(changed(where, change)), at: indexOf(where), rule }];
  });
  const all = [...changes, ...FALSIFIED.map(([what, falsified]) => [what, falsified()] as const)];
  const found = auditsOf(all.map(([, { log, notes, keys }]) => runOf(log, notes, keys)));
  return new Map(all.map(([what, { at, rule }], index) => [what, { at, rule, found: found[index] }]));
}

describe('the programs in docs/audit name the first event that does not hold, and the rule, for', () => {
  let found: ReturnType<typeof findings>;
  beforeAll(() => {
    found = findings();
  });

  it.each([...CHANGED, ...FALSIFIED].map(([what]) => what))('%s', (what) => {
    const { at, rule, found: each } = found.get(what) ?? {};
    const { status, out, last } = each ?? {};
    expect([status, last]).toStrictEqual([1, expect.stringMatching(new RegExp(`^event ${at}: ${rule}: `))]);
    expect(out).toContain(`Result: does not hold at event ${at} (${rule})`);
  });

  it('two logs of which one has the checkpoint', async () => {
    const { lines: other } = await evidenceOfEverything();
    const [own, foreign] = auditsOf([runOf(other, [noteOf(KEPT, other)]), runOf(other, [noteOf(KEPT)])]);
    expect(own).toMatchObject(HOLDS);
    expect(foreign).toMatchObject({ status: 1, last: expect.stringMatching(/^event \d+: root: note-1-0.txt: /) });
  });
});
