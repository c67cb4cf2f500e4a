import { type Section } from '../../../kernel/section-names.js';
import { type AccountType, type Mode } from '../../../kernel/accounts.js';

interface Recorded {
  readonly partner_id: string;
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
  readonly actor: string;
}

export type PartnerEvent =
  | {
      readonly type: 'PartnerRegistered';
      readonly data: Recorded & { readonly company_name: string; readonly account_type: AccountType; readonly mode: Mode };
    }
  | { readonly type: 'PartnerActivated'; readonly data: Recorded }
  | { readonly type: 'PartnerDeactivated'; readonly data: Recorded }
  | { readonly type: 'OptionalSectionsChanged'; readonly data: Recorded & { readonly sections: readonly Section[] } }
  | { readonly type: 'IpAllowListChanged'; readonly data: Recorded & { readonly cidrs: readonly string[] } }
  | {
      readonly type: 'LowBalanceThresholdChanged';
      /** Integer kobo; null if the partner is not to be notified. */
      readonly data: Recorded & { readonly threshold_kobo: number | null };
    };
