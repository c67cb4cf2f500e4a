import { ApiHeader } from '@nestjs/swagger';
import { ValidationFailed } from '../../kernel/validation-failed.js';

const NAME = 'X-Reason';
export const REASON_LENGTH_MIN = 3;
export const REASON_LENGTH_MAX = 500;

const ENCODED = /^(?:[ -$&-~]|%[0-9A-Fa-f]{2})*$/;
/** Control characters, line breaks, and the marks that show text in another order than it is stored in. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;
const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

/** Documents the header on a route that takes it. */
export const REASON_HEADER = ApiHeader({
  name: NAME,
  description:
    'Why the personal data is read, 3–500 characters of printable text, percent-encoded as UTF-8 (RFC 3986). The audit trail records it for good and shows it to auditors, so name a case and no person.',
  required: false,
  schema: { type: 'string', minLength: REASON_LENGTH_MIN, pattern: ENCODED.source, example: 'Complaint%204711%3A%20wrong%20balance' },
});

/**
 * Returns the decoded reason of a request, without spaces around it; undefined if the request has none.
 * @throws ValidationFailed if it is not percent-encoded UTF-8, or not 3 to 500 printable characters
 */
export function reasonIn(headers: Readonly<Record<string, unknown>>): string | undefined {
  const encoded = headers[NAME.toLowerCase()];
  if (encoded === undefined) return undefined;
  const reason = decoded(encoded)?.trim();
  if (reason === undefined) throw invalid('must be percent-encoded UTF-8');
  const { length } = Array.from(reason);
  if (length < REASON_LENGTH_MIN) throw invalid(`must be at least ${REASON_LENGTH_MIN} characters`);
  if (length > REASON_LENGTH_MAX) throw invalid(`must not be greater than ${REASON_LENGTH_MAX} characters`);
  if (UNPRINTABLE.test(reason) || !LETTER_OR_DIGIT.test(reason)) throw invalid('must be printable text');
  return reason;
}

/** Returns the header of a reason. */
export function reasonHeader(reason: string): Readonly<Record<string, string>> {
  return { [NAME]: encodeURIComponent(reason) };
}

function decoded(encoded: unknown): string | undefined {
  if (typeof encoded !== 'string' || !ENCODED.test(encoded)) return undefined;
  try {
    return decodeURIComponent(encoded);
  } catch {
    // The bytes are not UTF-8.
    return undefined;
  }
}

function invalid(rule: string): ValidationFailed {
  return new ValidationFailed({ [NAME]: [`The ${NAME} header ${rule}.`] });
}
