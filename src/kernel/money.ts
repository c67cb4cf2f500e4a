/** Converts kobo to an NGN number with at most two decimals, the form of money in the API. */
export function toNaira(kobo: number): number {
  return kobo / 100;
}

/** Converts an NGN number to integer kobo. @throws RangeError for more than two decimals, or an amount that is not exact */
export function toKobo(naira: number): number {
  const kobo = Math.round(naira * 100);
  if (!Number.isSafeInteger(kobo) || kobo / 100 !== naira)
    throw new RangeError(`The amount ${naira} NGN cannot be converted to kobo exactly.`);
  return kobo;
}

const DECIMAL = /^(\d{1,16})(?:\.(\d{1,2}))?$/;

/** Returns the exact integer kobo of decimal text such as `1500` or `1500.50`; undefined for any other text, and for too large an amount. */
export function parseNaira(text: string): number | undefined {
  const [, naira, fraction = ''] = DECIMAL.exec(text) ?? [];
  if (naira === undefined) return undefined;
  const kobo = Number(naira + fraction.padEnd(2, '0'));
  return Number.isSafeInteger(kobo) ? kobo : undefined;
}

/** Returns whether the value is an NGN number that can be converted to kobo exactly. */
export function isNaira(value: unknown): value is number {
  if (typeof value !== 'number') return false;
  const kobo = Math.round(value * 100);
  return Number.isSafeInteger(kobo) && kobo / 100 === value;
}

/** Formats kobo as NGN with two decimals, such as `-1,234.50`; exact for any amount. */
export function formatNaira(kobo: number | bigint, separator = ','): string {
  const amount = BigInt(kobo);
  const magnitude = amount < 0n ? -amount : amount;
  const naira = (magnitude / 100n).toString().replaceAll(/\B(?=(?:\d{3})+$)/g, separator);
  return `${amount < 0n ? '-' : ''}${naira}.${(magnitude % 100n).toString().padStart(2, '0')}`;
}

const KOBO_PER_CREDIT = 10_00;

/** Converts an amount to credits of NGN 10, rounded up (decisions, "Prices"). */
export function toCredits(kobo: number): number {
  return Math.ceil(kobo / KOBO_PER_CREDIT);
}
