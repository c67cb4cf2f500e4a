import { InvalidArgumentError } from 'commander';
import { parseNaira } from '../../kernel/money.js';

/** Parses an argument or option that is a whole number from `low` to `high`; anything else is wrong usage. */
export function wholeNumber(low: number, high: number): (text: string) => number {
  return (text) => {
    // Number() would also accept an empty text, `0x10` and `1e3`.
    const value = /^\d{1,15}$/.test(text) ? Number(text) : NaN;
    if (!(value >= low && value <= high)) throw new InvalidArgumentError(`It must be a whole number from ${low} to ${high}.`);
    return value;
  };
}

/** Parses an amount of NGN into integer kobo. Anything but decimal text is wrong usage. */
export function amountInKobo(text: string): number {
  const kobo = parseNaira(text);
  if (kobo === undefined) throw new InvalidArgumentError('It must be an amount in NGN with at most two decimals, such as 1500 or 1500.50.');
  return kobo;
}
