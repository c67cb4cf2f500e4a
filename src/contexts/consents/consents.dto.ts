import { type RejectionResponses } from '../../http/errors/error-responses.js';
import { type ConsentRejectionCode } from './domain/consent.js';
import { rejection } from '../../http/openapi/errors.js';
import { Count, EXAMPLE, Flag, ListOf, RupaId, Schema, Text, Time } from '../../http/openapi/properties.js';
import { Cursor, Limit, MAX_PER_PAGE, NEXT_CURSOR, PER_PAGE } from '../../http/validating/paging.js';
import { Input } from '../../http/validating/dto.js';

/** The codes and messages of rejections. A message is stated where it says more than its code's. */
export const consentRejectionResponses: RejectionResponses<ConsentRejectionCode> = {
  consent_unknown: { code: 'consent_not_found' },
};

export const CONSENT_NOT_FOUND = rejection(
  consentRejectionResponses.consent_unknown,
  'ConsentNotFound',
  'The farmer is not on the roster.',
);

const ENTRY = {
  rupa_id: EXAMPLE.rupa_id,
  source: 'loan',
  granted_at: '2026-03-01T09:00:00.000Z',
  last_accessed_at: '2026-03-09T14:30:00.000Z',
  access_count: 3,
};

/** An entry of the roster (interface, section 2.4). */
@Schema('ConsentEntry', ENTRY)
export class RosterEntry {
  @RupaId() readonly rupa_id: string;
  @Text() readonly source: string;
  @Time() readonly granted_at: string;
  @Time() readonly last_accessed_at: string;
  @Count() readonly access_count: number;
}

/** Entries of a response if neither `limit` nor `cursor` is given (interface, section 4.4). */
export const MAX_ENTRIES = 200;

export class RosterQueryDto extends Input {
  // It has no default: a client that sent one would get fewer entries than a client that sends nothing.
  @Limit(MAX_PER_PAGE, {
    description: `Entries of a page. Without it, a call without \`cursor\` has ${String(MAX_ENTRIES)}, and one with it ${String(PER_PAGE)}.`,
  })
  limit?: number;

  @Cursor() cursor?: string;
}

@Schema('Roster', { consents: [ENTRY], count: 1, next_cursor: null })
export class Roster {
  @ListOf(RosterEntry, { maxItems: MAX_ENTRIES }) readonly consents: readonly RosterEntry[];
  @Count('Number of entries in this response.') readonly count: number;
  @Text(NEXT_CURSOR) readonly next_cursor: string | null;
}

@Schema('ReleasedConsent', { revoked: true, rupa_id: EXAMPLE.rupa_id })
export class ReleasedConsent {
  @Flag('Always true.') readonly revoked: true;
  @RupaId() readonly rupa_id: string;
}
