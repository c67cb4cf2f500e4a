/** The list comes with Node, so that it changes with an upgrade of Node and not with a release of this service. */
const CURRENCIES: ReadonlySet<unknown> = new Set(Intl.supportedValuesOf('currency'));

/** Returns whether the value is the code of a currency (ISO 4217), in upper case. */
export function isCurrency(value: unknown): boolean {
  return CURRENCIES.has(value);
}
