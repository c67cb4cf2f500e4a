import { InvalidArgumentError } from 'commander';
import { parseRupaId } from '../../http/validation.js';

/** A command line's Rupa ID, in lower case; ends with wrong usage where it can be none. */
export function rupaId(text: string): string {
  try {
    return parseRupaId(text);
  } catch {
    throw new InvalidArgumentError('It must be 1–64 letters, digits and hyphens.');
  }
}
