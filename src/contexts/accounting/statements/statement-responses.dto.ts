import {
  Count,
  Decimal,
  EXAMPLE,
  Flag,
  Integer,
  ListOf,
  Naira,
  Nested,
  OneOf,
  Schema,
  Text,
  Time,
} from '../../../http/openapi/properties.js';
import { MONEY_KINDS } from '../../wallet/domain/events.js';
import { AS_OF_INDEX } from '../../evidence/public.js';
import { LEGAL_EXAMPLE, LegalDetailsView } from '../../partners/public.js';
import { type StatementCustomer } from './statements.js';
import { MODES } from '../../../kernel/accounts.js';

class Incoming {
  @Count() readonly revision: number;
  @Time() readonly recorded_at: string;
  @Decimal('NGN; below 0 for a reversal and a payout.') readonly amount: number;
  @Text({ nullable: true }) readonly reason: string | null;
}

@Schema('StatementCredit')
export class StatementCredit extends Incoming {
  @OneOf(MONEY_KINDS, 'Kind of the credit, or of the credit that a reversal takes back, or a payout.') readonly kind: string;
  @Text() readonly reference: string;
  @Text({ nullable: true, description: 'Reference of the credit that a reversal takes back; null for a credit and a payout.' })
  readonly credit_reference: string | null;
  @Decimal('NGN; the part of the amount that the bank kept.') readonly bank_fee: number;
  @Decimal('NGN; the part of the amount that was withheld as tax.') readonly withheld_tax: number;
}

@Schema('StatementRefund')
export class StatementRefund extends Incoming {
  @Text() readonly lookup_id: string;
  @Text() readonly rupa_id: string;
}

@Schema('StatementCredits')
export class StatementCredits {
  @Decimal('NGN; credits minus reversals and payouts.') readonly total: number;
  @ListOf(StatementCredit) readonly items: readonly StatementCredit[];
}

@Schema('StatementRefunds')
export class StatementRefunds {
  @Naira() readonly total: number;
  @ListOf(StatementRefund) readonly items: readonly StatementRefund[];
}

@Schema('StatementPeriod')
export class StatementPeriod {
  @OneOf(['open', 'closed'], 'Whether the month of the books was closed. A closed month’s statement never changes.')
  readonly status: 'open' | 'closed';
  @Text('The first day of the month (UTC).') readonly from: string;
  @Text('The last day of the month (UTC).') readonly to: string;
}

@Schema('StatementCustomer')
export class StatementCustomerView implements StatementCustomer {
  @Count('The customer number, which statements’ numbers end with.') readonly number: number;
  @Text() readonly company_name: string;
  @Nested(LegalDetailsView, 'Null where it is not known.') readonly legal: LegalDetailsView;
}

/** A fee at one price and one rate. */
@Schema('StatementLine')
export class StatementLineView {
  @Text({ nullable: true, description: 'The section whose fee it is; null for a provider’s.' }) readonly section: string | null;
  @Text({ nullable: true, description: 'The provider that the fee is passed through to; null for a section’s.' })
  readonly provider: string | null;
  @Text('For people.') readonly label: string;
  @Integer('Number of times that it was charged; below 0 for refunds and compensations.') readonly quantity: number;
  @Naira('NGN, including VAT.') readonly unit_price: number;
  @Decimal({ minimum: 0, description: 'Rate of the VAT that the fee contains, in percent; 0 for what is passed through.' })
  readonly vat_percent: number;
  @Decimal('NGN without VAT.') readonly net: number;
  @Decimal('NGN.') readonly vat: number;
  @Decimal('NGN. The quantity × the price; net and VAT together.') readonly amount: number;
}

@Schema('StatementVat')
export class StatementVat {
  @Decimal({ minimum: 0, description: 'The rate, in percent.' }) readonly vat_percent: number;
  @Decimal('NGN.') readonly net: number;
  @Decimal('NGN.') readonly vat: number;
  @Decimal('NGN.') readonly gross: number;
}

class Charged {
  @Count('Number of times that it was charged.') readonly count: number;
  @Naira() readonly amount: number;
}

@Schema('StatementSection')
export class StatementSection extends Charged {
  @Text() readonly section: string;
}

@Schema('StatementProvider')
export class StatementProvider extends Charged {
  @Text() readonly provider: string;
}

@Schema('StatementLookups')
export class StatementLookups {
  @Naira() readonly total: number;
  @Count('Number of lookups that were charged, including refunded ones.') readonly count: number;
  @ListOf(StatementSection) readonly sections: readonly StatementSection[];
}

@Schema('StatementPassThrough')
export class StatementPassThrough {
  @Naira() readonly total: number;
  @ListOf(StatementProvider) readonly providers: readonly StatementProvider[];
}

@Schema('StatementIssuer')
export class StatementIssuer {
  @Text({ nullable: true }) readonly name: string | null;
  @Text({ nullable: true }) readonly address: string | null;
  @Text({ nullable: true }) readonly tax_id: string | null;
}

@Schema('StatementHead')
export class StatementHead {
  @Integer('-1 before the first entry.') readonly revision: number;
  @Text('64 zeros before the first entry.') readonly hash: string;
}

const REFUND = {
  revision: 21,
  recorded_at: '2026-03-09T14:31:00.000Z',
  amount: 110,
  reason: 'no response was sent for the lookup',
  lookup_id: EXAMPLE.lookup_id,
  rupa_id: EXAMPLE.rupa_id,
};

const OPENING_HASH = '9b1d0c7e6f5a4b3c2d1e0f9a8b7c6d5e4f3a2b1c0d9e8f7a6b5c4d3e2f1a0b9c';

const NUMBER = 'RUPA-202603-1001';
const MADE_AT = '2026-04-02T08:00:00.000Z';

export const STATEMENT_CSV = [
  'line,recorded_at,item,count,amount,reference,reason,lookup_id,rupa_id,revision,hash,credit_reference,label,unit_price,vat_percent,net,vat,gross,bank_fee,withheld_tax',
  `statement,${MADE_AT},${NUMBER},,,,,,,,,,,,,,,,,`,
  'heading,,tax_invoice,,,,,,,,,,,,,,,,,',
  'period,,closed,,,,,,,,,,,,,,,,,',
  'as_of_index,,40817,,,,,,,,,,,,,,,,,',
  'mode,,live,,,,,,,,,,,,,,,,,',
  'issuer_name,,Rupa Data Services Ltd,,,,,,,,,,,,,,,,,',
  'customer_number,,1001,,,,,,,,,,,,,,,,,',
  'company_name,,Savannah Demo Bank,,,,,,,,,,,,,,,,,',
  `opening_balance,2026-03-01T00:00:00.000Z,,,98700.00,,,,,17,${OPENING_HASH},,,,,,,,,`,
  'credit,2026-03-02T09:00:00.000Z,payment,1,50000.00,transfer-2,,,,18,,,,,,,,,53.75,0.00',
  'lookup_section,,identity,2,-100.00,,,,,,,,Identity,50.00,7.5,93.02,6.98,100.00,,',
  'lookup_section,,identity,-1,50.00,,,,,,,,Refund: Identity,50.00,7.5,-46.51,-3.49,-50.00,,',
  'pass_through,,bvn,1,-60.00,,,,,,,,"BVN, passed through",60.00,0,60.00,0.00,60.00,,',
  'pass_through,,bvn,-1,60.00,,,,,,,,"Refund: BVN, passed through",60.00,0,-60.00,0.00,-60.00,,',
  'vat,,,,,,,,,,,,,,0,0.00,0.00,0.00,,',
  'vat,,,,,,,,,,,,,,7.5,46.51,3.49,50.00,,',
  `refund,${REFUND.recorded_at},,1,,,${REFUND.reason},${REFUND.lookup_id},${REFUND.rupa_id},21,,,,,,,,-110.00,,`,
  `closing_balance,2026-04-01T00:00:00.000Z,,,148650.00,,,,,21,${EXAMPLE.hash},,,,,,,,,`,
  '',
].join('\r\n');

const IDENTITY = { section: 'identity', provider: null, unit_price: 50, vat_percent: 7.5 };
const BVN = { section: null, provider: 'bvn', unit_price: 60, vat_percent: 0 };

@Schema('Statement', {
  statement_number: NUMBER,
  is_tax_invoice: true,
  period: { status: 'closed', from: '2026-03-01', to: '2026-03-31' },
  made_at: MADE_AT,
  as_of_index: 40817,
  issuer: { name: 'Rupa Data Services Ltd', address: '1 Marina, Lagos', tax_id: '12345678-0001' },
  customer: { number: 1001, company_name: 'Savannah Demo Bank', legal: LEGAL_EXAMPLE },
  partner_id: EXAMPLE.partner_id,
  company_name: 'Savannah Demo Bank',
  mode: 'live',
  month: '2026-03',
  from: '2026-03-01T00:00:00.000Z',
  until: '2026-04-01T00:00:00.000Z',
  complete: true,
  currency: 'NGN',
  opening_head: { revision: 17, hash: OPENING_HASH },
  opening_balance: 98700,
  lines: [
    { ...IDENTITY, label: 'Identity', quantity: 2, net: 93.02, vat: 6.98, amount: 100 },
    { ...IDENTITY, label: 'Refund: Identity', quantity: -1, net: -46.51, vat: -3.49, amount: -50 },
    { ...BVN, label: 'BVN, passed through', quantity: 1, net: 60, vat: 0, amount: 60 },
    { ...BVN, label: 'Refund: BVN, passed through', quantity: -1, net: -60, vat: 0, amount: -60 },
  ],
  vat: [
    { vat_percent: 0, net: 0, vat: 0, gross: 0 },
    { vat_percent: 7.5, net: 46.51, vat: 3.49, gross: 50 },
  ],
  credits: {
    total: 50000,
    items: [
      {
        revision: 18,
        recorded_at: '2026-03-02T09:00:00.000Z',
        amount: 50000,
        kind: 'payment',
        reason: null,
        reference: 'transfer-2',
        credit_reference: null,
        bank_fee: 53.75,
        withheld_tax: 0,
      },
    ],
  },
  lookups: { total: 100, count: 2, sections: [{ section: 'identity', count: 2, amount: 100 }] },
  pass_through: { total: 60, providers: [{ provider: 'bvn', count: 1, amount: 60 }] },
  refunds: { total: 110, items: [REFUND] },
  closing_balance: 148650,
  closing_head: { revision: 21, hash: EXAMPLE.hash },
})
export class StatementView {
  @Text({ description: 'The prefix of the close, the month and the customer number; null while the month is open.', nullable: true })
  readonly statement_number: string | null;
  @Flag('Whether it is headed as a tax invoice: in live mode, where a line has VAT and the issuer a tax id.')
  readonly is_tax_invoice: boolean;
  @Nested(StatementPeriod) readonly period: StatementPeriod;
  @Time('When the month was closed; of an open month, when this copy was made.') readonly made_at: string;
  @Integer(AS_OF_INDEX) readonly as_of_index: number | null;
  @Nested(StatementIssuer, 'The company that issues the statement: as the month was closed, or by the present settings.')
  readonly issuer: StatementIssuer;
  @Nested(StatementCustomerView, 'The details of the partner as they were when the month was closed; of an open month, as they are.')
  readonly customer: StatementCustomerView;
  @Text() readonly partner_id: string;
  @Text() readonly company_name: string;
  @OneOf(MODES) readonly mode: string;
  @Text() readonly month: string;
  @Time('The first moment of the month.') readonly from: string;
  @Time('The first moment of the next month.') readonly until: string;
  @Flag('True once the month is closed. Later corrections appear in the month in which they are recorded.')
  readonly complete: boolean;
  @OneOf(['NGN']) readonly currency: 'NGN';
  @Nested(StatementHead, 'The wallet’s last entry before the month.') readonly opening_head: StatementHead;
  @Naira() readonly opening_balance: number;
  @ListOf(StatementLineView, 'The charges, and those that were given back: one line for each fee, price and rate.')
  readonly lines: readonly StatementLineView[];
  @ListOf(StatementVat, 'The sums of the lines by rate.') readonly vat: readonly StatementVat[];
  @Nested(StatementCredits, 'Money in and out.') readonly credits: StatementCredits;
  @Nested(StatementLookups) readonly lookups: StatementLookups;
  @Nested(StatementPassThrough) readonly pass_through: StatementPassThrough;
  @Nested(StatementRefunds, 'Refunds and compensations one by one, which the lines contain.') readonly refunds: StatementRefunds;
  @Naira('NGN. The opening balance plus the credits, minus the amounts of the lines.') readonly closing_balance: number;
  @Nested(StatementHead, 'The wallet’s last entry of the month or before. An export of the wallet has the same hash at this revision.')
  readonly closing_head: StatementHead;
}
