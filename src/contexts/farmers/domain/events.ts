import { type Section } from '../../../kernel/section-names.js';
import { type TestFacts } from './test-farmers/test-farmer.js';

interface Recorded {
  /** The farmer's pseudonym. All other personal data is in the personal fields, which the codec encrypts. */
  readonly rupa_id: string;
  /** ISO 8601, UTC. */
  readonly recorded_at: string;
  readonly actor: string;
}

/** The unit in which a record is stored and replaced: a section, or the flag that the phone number was verified. */
export type RecordPart = Section | 'phone_verified';

/** Each part as it was last recorded. `data_as_of` is the date or time that the content is from, in ISO 8601. */
export type RecordParts = { readonly [Part in RecordPart]?: { readonly content: unknown; readonly data_as_of: string } };

export type FarmerEvent =
  | {
      readonly type: 'FarmerRegistered';
      readonly data: Recorded & {
        readonly mode: 'live' | 'sandbox';
        /** The parts that were sent with the registration. Personal: null once the farmer is erased. */
        readonly parts: RecordParts | null;
      };
    }
  | {
      /** A part of a registered farmer's record was replaced. */
      readonly type: 'FarmerSectionUpdated';
      readonly data: Recorded & {
        readonly part: RecordPart;
        /** The date or time that the content is from, in ISO 8601. */
        readonly data_as_of: string;
        /** Personal: null once the farmer is erased. */
        readonly content: unknown;
      };
    }
  | {
      readonly type: 'CreditScoreChanged';
      /** `credit_score` is personal: null once the farmer is erased, or if the credit history has no score any more. */
      readonly data: Recorded & { readonly credit_score: number | null };
    }
  | {
      readonly type: 'TestFarmerDefined';
      /** Makes the farmer a test farmer of the sandbox, or states the facts of newer definitions. */
      readonly data: Recorded & TestFacts;
    }
  | { readonly type: 'FarmerErased'; readonly data: Recorded };

/** Returns the name of the stream that holds what was registered and recorded about a farmer. */
export function farmerStreamOf(rupaId: string): string {
  return `farmer-${rupaId}`;
}
