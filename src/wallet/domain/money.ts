/** Kobo as an NGN number with at most two decimals, as the API's edge shows money. */
export function toNaira(kobo: number): number {
  return kobo / 100;
}

/** Exact integer kobo of an NGN number. @throws RangeError for more than two decimals, or an amount that is not exact. */
export function toKobo(naira: number): number {
  const kobo = Math.round(naira * 100);
  if (!Number.isSafeInteger(kobo) || kobo / 100 !== naira) throw new RangeError(`${naira} is no exact amount in kobo.`);
  return kobo;
}

/** Whether an NGN number can be kept exactly. */
export function isNaira(value: unknown): value is number {
  if (typeof value !== 'number') return false;
  const kobo = Math.round(value * 100);
  return Number.isSafeInteger(kobo) && kobo / 100 === value;
}

const KOBO_PER_CREDIT = 10_00;

/** Credits that an amount comes to, rounded up. Decisions, "Prices". */
export function toCredits(kobo: number): number {
  return Math.ceil(kobo / KOBO_PER_CREDIT);
}

/** 1,234.50: for people, exact for every safe integer of kobo. */
export function inThousands(kobo: number): string {
  const rest = Math.abs(kobo) % 100;
  const naira = String((Math.abs(kobo) - rest) / 100).replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return `${kobo < 0 ? '-' : ''}${naira}.${String(rest).padStart(2, '0')}`;
}
