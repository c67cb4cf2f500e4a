import { type Section } from '../../../kernel/section-names.js';

interface Recorded {
  /** The farmer's pseudonym; everything else about a person is in the personal fields, which the codec encrypts. */
  readonly rupa_id: string;
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
  readonly actor: string;
}

/** What a record is kept and replaced by: each section, and whether the phone number was verified. */
export type RecordPart = Section | 'phone_verified';

export type FarmerEvent =
  | { readonly type: 'FarmerRegistered'; readonly data: Recorded & { readonly mode: 'live' | 'sandbox' } }
  | {
      readonly type: 'FarmerSectionUpdated';
      readonly data: Recorded & {
        readonly part: RecordPart;
        /** ISO 8601: how old the content is. */
        readonly data_as_of: string;
        /** Personal: null once the farmer is erased. */
        readonly content: unknown;
      };
    }
  | {
      readonly type: 'CreditScoreChanged';
      /** Personal: null once the farmer is erased, or where no score is left. */
      readonly data: Recorded & { readonly credit_score: number | null };
    }
  | { readonly type: 'FarmerErased'; readonly data: Recorded };
