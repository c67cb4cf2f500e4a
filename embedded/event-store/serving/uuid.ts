import shared from '@eventstore/db-client/generated/shared_pb.js';

const HYPHENATED = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const DIGITS = /^[0-9a-f]{32}$/i;
const ENCLOSED = /^(?:\{(.*)\}|\((.*)\))$/;

/**
 * Returns a UUID in lower case with hyphens. EventStoreDB also accepts it without hyphens, in braces or parentheses, and between spaces.
 * @returns undefined if the text is not a UUID
 */
export function canonicalUuid(text: string): string | undefined {
  if (HYPHENATED.test(text)) return text.toLowerCase();
  const trimmed = text.trim();
  const [, inBraces, inParentheses] = ENCLOSED.exec(trimmed) ?? [];
  const candidate = inBraces ?? inParentheses ?? trimmed;
  if (HYPHENATED.test(candidate)) return candidate.toLowerCase();
  if (candidate !== trimmed || !DIGITS.test(candidate)) return undefined;
  return candidate.toLowerCase().replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Returns the 16 bytes of a UUID. @param uuid in the canonical form */
export function uuidBytes(uuid: string): Buffer {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex');
}

/** Returns a UUID message in the form of two 64-bit halves. @param uuid in the canonical form */
export function structuredUuid(uuid: string): shared.UUID {
  const bytes = uuidBytes(uuid);
  const [most, least] = [bytes.readBigInt64BE(0).toString(), bytes.readBigInt64BE(8).toString()];
  return new shared.UUID().setStructured(new shared.UUID.Structured().setMostSignificantBits(most).setLeastSignificantBits(least));
}
