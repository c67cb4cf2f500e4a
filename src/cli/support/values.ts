import { InvalidArgumentError } from 'commander';

/** Parses an argument or option that is a whole number from `low` to `high`; anything else is wrong usage. */
export function wholeNumber(low: number, high: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!Number.isInteger(value) || value < low || value > high)
      throw new InvalidArgumentError(`It must be a whole number from ${low} to ${high}.`);
    return value;
  };
}
