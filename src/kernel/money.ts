/**
 * The largest amount in kobo, NGN 2^46 (70 trillion). Above it JavaScript's numbers are further apart than 0.01, so that two amounts in
 * kobo would be shown as the same amount in NGN.
 */
export const MAX_KOBO = 2 ** 46 * 100;

/** Converts kobo to an NGN number with at most two decimals, the form of money in the API. */
export function toNaira(kobo: number): number {
  return kobo / 100;
}

/** An NGN number beyond {@link MAX_KOBO}, which JSON.stringify writes with all of its digits. */
export interface RawNumber {
  readonly rawJSON: string;
}

/** TypeScript does not know JSON.rawJSON yet. */
const { rawJSON } = JSON as unknown as { readonly rawJSON: (this: void, text: string) => RawNumber };

/** Converts a sum in kobo, over wallets that may be at their limit, to an NGN number that JSON writes exactly. */
export function sumInNaira(kobo: bigint): number | RawNumber {
  const isExact = kobo <= MAX_KOBO && kobo >= -MAX_KOBO;
  return isExact ? toNaira(Number(kobo)) : rawJSON(formatNaira(kobo, ''));
}

/** Converts an NGN number to integer kobo. @throws RangeError for more than two decimals, or an amount that is not exact */
export function toKobo(naira: number): number {
  const kobo = exactKobo(naira);
  if (kobo === undefined) throw new RangeError(`The amount ${naira} NGN cannot be converted to kobo exactly.`);
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

/** Returns whether the value is an NGN number that can be converted to kobo, and shown again, exactly. */
export function isNaira(value: unknown): value is number {
  if (typeof value !== 'number') return false;
  const kobo = exactKobo(value);
  return kobo !== undefined && Math.abs(kobo) <= MAX_KOBO;
}

/** Converts the digits of the number, because its product with 100 can be a kobo off: 37172674708978.27 × 100 ends in 27.5. */
function exactKobo(naira: number): number | undefined {
  const kobo = parseNaira(String(Math.abs(naira)));
  return naira < 0 && kobo !== undefined ? -kobo : kobo;
}

/** Formats kobo as NGN with two decimals, such as `-1,234.50`; exact for any amount. */
export function formatNaira(kobo: number | bigint, separator = ','): string {
  const amount = BigInt(kobo);
  const magnitude = amount < 0n ? -amount : amount;
  const naira = (magnitude / 100n).toString().replaceAll(/\B(?=(?:\d{3})+$)/g, separator);
  return `${amount < 0n ? '-' : ''}${naira}.${(magnitude % 100n).toString().padStart(2, '0')}`;
}

export const KOBO_PER_CREDIT = 10_00;

/** Converts an amount to credits of NGN 10, rounded up (decisions, "Prices"). */
export function toCredits(kobo: number): number {
  return Math.ceil(kobo / KOBO_PER_CREDIT);
}

/** The list comes with Node, so that it changes with an upgrade of Node and not with a release of this service. */
const CURRENCIES: ReadonlySet<unknown> = new Set(Intl.supportedValuesOf('currency'));

/** Returns whether the value is the code of a currency (ISO 4217), in upper case. */
export function isCurrency(value: unknown): boolean {
  return CURRENCIES.has(value);
}
