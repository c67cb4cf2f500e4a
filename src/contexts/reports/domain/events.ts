import { type AccountType, type Activity } from '../../../kernel/accounts.js';

/** A contribution as it is after the event (interface, section 2.3). */
export interface Contribution {
  readonly contribution_id: number;
  readonly partner_id: string;
  readonly account_type: AccountType;
  readonly rupa_id: string;
  readonly event: Activity;
  /** ISO 4217. */
  readonly currency: string;
  /** ISO 8601, UTC. */
  readonly occurred_at: string;
  /** Hundredths of the currency: kobo for NGN. Like the next two fields it is personal: null if it was not sent or the farmer is erased. */
  readonly amount_minor: number | null;
  readonly partner_reference: string | null;
  readonly payload: Readonly<Record<string, unknown>> | null;
  /** The run of the account to which a report about a test farmer belongs; undefined about any other farmer. */
  readonly test_run?: number;
}

interface Recorded {
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
  readonly actor: string;
}

export type ContributionEvent =
  | { readonly type: 'ContributionRecorded'; readonly data: Contribution & Recorded }
  | {
      readonly type: 'ContributionUpdated';
      /** `previous_rupa_id` is the farmer before the update. It differs from `rupa_id` if the update moves the contribution. */
      readonly data: Contribution & Recorded & { readonly previous_rupa_id: string };
    };

/**
 * Names the reports that lookups show together: those about a farmer; about a test farmer, those of one account in one of its test runs.
 * No Rupa ID contains a space.
 */
export function subjectOf({ rupa_id, partner_id, test_run }: Pick<Contribution, 'rupa_id' | 'partner_id' | 'test_run'>): string {
  return test_run === undefined ? rupa_id : `${rupa_id} ${partner_id} ${test_run}`;
}
