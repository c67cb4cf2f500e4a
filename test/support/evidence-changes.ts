import { type EvidenceLine } from './evidence-history.js';

export type Where = (line: EvidenceLine) => boolean;
export const ofType =
  (type: string, text = ''): Where =>
  (line) =>
    line.type === type && line.data.includes(text);

export const debit = (lookup: string): Where => ofType('WalletDebited', `"lookup_id":"${lookup}"`);
export const lastCredit = ofType('WalletCredited', '"reference":"last"');
export const thanks = ofType('WalletCredited', '"reference":"thanks"');
export const settled = ofType('ChargesSettled', '"lookup_id":"l1"');
export const refunded = ofType('RefundIssued');
export const refundedWithVat = ofType('RefundIssued', '"lookup_id":"l7"');
export const reversed = ofType('CreditReversed');
export const net = ofType('WalletCredited', '"reference":"net"');
export const approved = ofType('WalletCredited', '"reference":"large"');
export const paidOut = ofType('WalletPaidOut');
const entry = (reference: string): Where => ofType('LedgerEntryPosted', `"reference":"${reference}"`);
export const raised = ofType('PriceBookPublished', '"version":2');
export const scheduled = ofType('PriceBookPublished', '"version":3');
export const checkpoint = ofType('CheckpointSigned');

type Change = object | ((data: { balance_after_kobo: number; amount_kobo: number }) => object);

/** An event that somebody changed, who then recomputed the hashes of the wallet after it. */
export const CHANGED: readonly (readonly [what: string, rule: string, where: Where, data: Change])[] = [
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
  ['more VAT remitted than there was', 'bound', entry('vat-1'), { amount_kobo: 10_000_00 }],
  ['more tax certified than was withheld', 'bound', entry('wht-1'), { amount_kobo: 1_000_00 }],
  ['a reversal of another amount than its entry', 'reversal', entry('undo-1'), { amount_kobo: 14_00 }],
  ['a reversal of an entry that is not there', 'reversal', entry('undo-1'), { of: 'settle-3' }],
  ['a reversal of another kind than its entry', 'reversal', entry('undo-1'), { of_kind: 'vat_remittance' }],
  ['a settlement with an unknown provider', 'entry', entry('settle-1'), { account: 'nobody' }],
  ['an opening balance of income', 'entry', entry('open-1'), { account: 'revenue.identity' }],
  ['a ledger entry that is dated ahead', 'entry', entry('charge-1'), { date: '2026-04-01' }],
  [
    'a larger ledger entry that its author posted alone',
    'approval',
    entry('large'),
    { actor: 'admin:bayo', approval_id: undefined, approved_by: undefined },
  ],
  ['a ledger entry of more than was approved', 'approval', entry('large'), { amount_kobo: 60_000_01 }],
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
