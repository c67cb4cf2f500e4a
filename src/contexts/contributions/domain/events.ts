import { type AccountType } from '../../../kernel/account-types.js';
import { type Activity } from '../../../kernel/activities.js';

/** What a partner reported of a farmer, as it stands after the event (interface 2.3). */
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
  /** Personal, as the two after it: null where it was not sent, and once the farmer is erased. Hundredths of the currency: kobo for NGN. */
  readonly amount_minor: number | null;
  readonly partner_reference: string | null;
  readonly payload: Readonly<Record<string, unknown>> | null;
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
      /** `previous_rupa_id` is whom it was about before: another farmer where the update moves it. */
      readonly data: Contribution & Recorded & { readonly previous_rupa_id: string };
    };
