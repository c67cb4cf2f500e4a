import { type ReportedItems } from '../../../projections/contribution/reported-items.reader.js';
import { type WantedFarmer } from '../../../projections/farmer-profile/farmer-profile.reader.js';
import { type Section } from '../../kernel/section-names.js';
import { type SampleReports } from '../farmers/public.js';

/** Returns the sample reports of a test farmer, in place of what partners reported about it. */
export function sampleItems({ loans, policies, ...lists }: SampleReports): ReportedItems {
  const total = (amounts: readonly (number | null)[]): number => amounts.reduce<number>((sum, amount) => sum + (amount ?? 0), 0);
  return {
    ...lists,
    loans: { newest: loans, total_kobo: total(loans.map(({ outstanding_minor }) => outstanding_minor)) },
    policies: { newest: policies, total_kobo: total(policies.map(({ amount_minor }) => amount_minor)) },
  };
}

/** Returns which lists the sections need, as columns of the lookup's statement. */
export function listsOf(sections: readonly Section[]): Pick<WantedFarmer, 'loans' | 'repayments' | 'policies' | 'goods'> {
  return {
    loans: sections.includes('outstanding_loans'),
    repayments: sections.includes('credit_history'),
    policies: sections.includes('underwriting_value'),
    goods: sections.includes('farms'),
  };
}
