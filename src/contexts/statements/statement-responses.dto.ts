import { EXAMPLE, Schema } from '../../http/openapi/example.js';
import { Count, Decimal, Flag, ListOf, Naira, Nested, OneOf, Text, Time } from '../../http/openapi/properties.js';
import { MODES } from '../../kernel/modes.js';

class Incoming {
  @Count() readonly revision: number;
  @Time() readonly recorded_at: string;
  @Decimal('NGN; below 0 for a credit that was reversed.') readonly amount: number;
  @Text({ nullable: true }) readonly reason: string | null;
}

@Schema('StatementCredit')
export class StatementCredit extends Incoming {
  @Text() readonly reference: string;
}

@Schema('StatementRefund')
export class StatementRefund extends Incoming {
  @Text() readonly lookup_id: string;
  @Text() readonly rupa_id: string;
}

@Schema('StatementCredits')
export class StatementCredits {
  @Decimal('NGN; credits minus reversals.') readonly total: number;
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

const REFUND = {
  revision: 21,
  recorded_at: '2026-03-09T14:31:00.000Z',
  amount: 110,
  reason: 'no response was sent for the lookup',
  lookup_id: EXAMPLE.lookup_id,
  rupa_id: EXAMPLE.rupa_id,
};

export const STATEMENT_CSV = [
  'line,recorded_at,item,count,amount,reference,reason,lookup_id,rupa_id',
  'opening_balance,2026-03-01T00:00:00.000Z,,,98700.00,,,,',
  'credit,2026-03-02T09:00:00.000Z,,1,50000.00,transfer-2,,,',
  'lookup_section,,identity,2,-100.00,,,,',
  'pass_through,,bvn,1,-60.00,,,,',
  `refund,${REFUND.recorded_at},,1,110.00,,${REFUND.reason},${REFUND.lookup_id},${REFUND.rupa_id}`,
  'closing_balance,2026-04-01T00:00:00.000Z,,,148650.00,,,,',
  '',
].join('\r\n');

/** Amounts are in NGN. Charges are positive numbers, too. */
@Schema('Statement', {
  partner_id: EXAMPLE.partner_id,
  company_name: 'Savannah Demo Bank',
  mode: 'live',
  month: '2026-03',
  from: '2026-03-01T00:00:00.000Z',
  until: '2026-04-01T00:00:00.000Z',
  complete: true,
  currency: 'NGN',
  opening_balance: 98700,
  credits: {
    total: 50000,
    items: [{ revision: 18, recorded_at: '2026-03-02T09:00:00.000Z', amount: 50000, reason: null, reference: 'transfer-2' }],
  },
  lookups: { total: 100, count: 2, sections: [{ section: 'identity', count: 2, amount: 100 }] },
  pass_through: { total: 60, providers: [{ provider: 'bvn', count: 1, amount: 60 }] },
  refunds: { total: 110, items: [REFUND] },
  closing_balance: 148650,
})
export class StatementView {
  @Text() readonly partner_id: string;
  @Text() readonly company_name: string;
  @OneOf(MODES) readonly mode: string;
  @Text() readonly month: string;
  @Time('The first moment of the month.') readonly from: string;
  @Time('The first moment of the next month.') readonly until: string;
  @Flag('False while the month is not over.') readonly complete: boolean;
  @OneOf(['NGN']) readonly currency: 'NGN';
  @Naira() readonly opening_balance: number;
  @Nested(StatementCredits) readonly credits: StatementCredits;
  @Nested(StatementLookups) readonly lookups: StatementLookups;
  @Nested(StatementPassThrough) readonly pass_through: StatementPassThrough;
  @Nested(StatementRefunds) readonly refunds: StatementRefunds;
  @Naira('NGN. The opening balance plus credits and refunds, minus lookups and pass-through fees.') readonly closing_balance: number;
}
