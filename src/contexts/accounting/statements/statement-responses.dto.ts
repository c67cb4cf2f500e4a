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

export const STATEMENT_CSV = [
  'line,recorded_at,item,count,amount,reference,reason,lookup_id,rupa_id,revision,hash,credit_reference',
  `statement,2026-04-02T08:00:00.000Z,${EXAMPLE.partner_id}-2026-03-0002,,,,,,,,,`,
  'as_of_index,,40817,,,,,,,,,',
  'mode,,live,,,,,,,,,',
  'issuer_name,,Rupa Data Services Ltd,,,,,,,,,',
  `opening_balance,2026-03-01T00:00:00.000Z,,,98700.00,,,,,17,${OPENING_HASH},`,
  'credit,2026-03-02T09:00:00.000Z,payment,1,50000.00,transfer-2,,,,18,,',
  'lookup_section,,identity,2,-100.00,,,,,,,',
  'pass_through,,bvn,1,-60.00,,,,,,,',
  `refund,${REFUND.recorded_at},,1,110.00,,${REFUND.reason},${REFUND.lookup_id},${REFUND.rupa_id},21,,`,
  `closing_balance,2026-04-01T00:00:00.000Z,,,148650.00,,,,,21,${EXAMPLE.hash},`,
  '',
].join('\r\n');

/** Amounts are in NGN. Charges are positive numbers, too. */
@Schema('Statement', {
  statement_number: `${EXAMPLE.partner_id}-2026-03-0002`,
  made_at: '2026-04-02T08:00:00.000Z',
  as_of_index: 40817,
  issuer: { name: 'Rupa Data Services Ltd', address: '1 Marina, Lagos', tax_id: '12345678-0001' },
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
  @Text('Partner, month, and the place of the month among the partner’s months. It never changes.') readonly statement_number: string;
  @Time('When this copy was made.') readonly made_at: string;
  @Integer(AS_OF_INDEX) readonly as_of_index: number | null;
  @Nested(StatementIssuer, 'The company that issues the statement, by the settings when this copy was made.')
  readonly issuer: StatementIssuer;
  @Text() readonly partner_id: string;
  @Text() readonly company_name: string;
  @OneOf(MODES) readonly mode: string;
  @Text() readonly month: string;
  @Time('The first moment of the month.') readonly from: string;
  @Time('The first moment of the next month.') readonly until: string;
  @Flag('True once the month is closed. A closed month never changes; later corrections appear in the month in which they are recorded.')
  readonly complete: boolean;
  @OneOf(['NGN']) readonly currency: 'NGN';
  @Nested(StatementHead, 'The wallet’s last entry before the month.') readonly opening_head: StatementHead;
  @Naira() readonly opening_balance: number;
  @Nested(StatementCredits) readonly credits: StatementCredits;
  @Nested(StatementLookups) readonly lookups: StatementLookups;
  @Nested(StatementPassThrough) readonly pass_through: StatementPassThrough;
  @Nested(StatementRefunds) readonly refunds: StatementRefunds;
  @Naira('NGN. The opening balance plus credits and refunds, minus lookups and pass-through fees.') readonly closing_balance: number;
  @Nested(StatementHead, 'The wallet’s last entry of the month or before. An export of the wallet has the same hash at this revision.')
  readonly closing_head: StatementHead;
}
