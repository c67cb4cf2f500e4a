import { type Contribution } from './events.js';

/**
 * Names the reports that lookups show together: those about a farmer; about a test farmer, those of one account in one of its test runs.
 * No Rupa ID contains a space.
 */
export function subjectOf({ rupa_id, partner_id, test_run }: Pick<Contribution, 'rupa_id' | 'partner_id' | 'test_run'>): string {
  return test_run === undefined ? rupa_id : `${rupa_id} ${partner_id} ${test_run}`;
}
