import { InvalidArgumentError } from 'commander';
import { parseRupaId, type RupaId } from '../../http/validating/validation.js';

/** Parses an argument that is a Rupa ID, and returns it in lower case. Anything else is wrong usage. */
export function rupaId(text: string): RupaId {
  try {
    return parseRupaId(text);
  } catch {
    throw new InvalidArgumentError('It must have 1 to 64 letters, digits and hyphens.');
  }
}
