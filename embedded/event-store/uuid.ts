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

/** Encodes a UUID message as two 64-bit halves. @param uuid in the canonical form */
export function structuredUuid(uuid: string): Buffer {
  const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex');
  const halves = new shared.UUID.Structured()
    .setMostSignificantBits(bytes.readBigInt64BE(0).toString())
    .setLeastSignificantBits(bytes.readBigInt64BE(8).toString());
  return Buffer.from(new shared.UUID().setStructured(halves).serializeBinary());
}
