import { type Section } from '../../../kernel/section-names.js';
import { type AccountType, type Mode } from '../../../kernel/accounts.js';
import { type LegalDetails } from './legal-details.js';

interface Recorded {
  readonly partner_id: string;
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
  readonly actor: string;
}

/** A partner’s details that invoices and statements show. */
export interface PartnerDetails {
  readonly company_name: string;
  readonly legal: LegalDetails;
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
    }
  | {
      readonly type: 'PartnerDetailsChanged';
      /** All details as they are after the change. */
      readonly data: Recorded & PartnerDetails;
    }
  | {
      readonly type: 'SandboxReset';
      /** `test_run` is the number of the run that begins; an account begins with run 0. `rupa_ids` are the test farmers of that time. */
      readonly data: Recorded & { readonly test_run: number; readonly rupa_ids: readonly string[] };
    };
