import { InvalidArgumentError } from 'commander';
import { type Month, monthOf } from '../../contexts/accounting/domain/month.js';
import { IsString, MinLength } from 'class-validator';
import { type Fields, Input, type InputClass } from '../../http/validating/dto.js';
import { idIn, idNumberIn, MaxLength, parseRupaId, Required, type RupaId, validateFields } from '../../http/validating/validation.js';
import { dayProblem } from '../../kernel/iso-8601.js';
import { parseNaira } from '../../kernel/money.js';
import { ValidationFailed } from '../../kernel/validation-failed.js';

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

/** Parses an argument that is a month in UTC. Anything else is wrong usage. */
export function month(text: string): Month {
  const found = monthOf(text);
  if (!found) throw new InvalidArgumentError('It must be a month such as 2026-03.');
  return found;
}

/** Parses an argument or option that is an id, such as a partner's or a lookup's. Anything else is wrong usage. */
export function id(text: string): string {
  const found = idIn(text);
  if (found === undefined) throw new InvalidArgumentError('It must be an id: 1 to 64 letters, digits and hyphens.');
  return found;
}

/** Parses an option that is a day. Anything else is wrong usage. */
export function day(text: string): string {
  const problem = dayProblem(text);
  if (problem) throw new InvalidArgumentError(`It ${problem}.`);
  return text;
}

/** Parses an argument that lists values separated by commas. An empty text is an empty list. */
export function listed(text: string): readonly string[] {
  return text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');
}

/** Parses an argument that is the number of an endpoint or a delivery. Anything else is wrong usage. */
export function idNumber(text: string): number {
  const found = idNumberIn(text);
  if (found === undefined) throw new InvalidArgumentError('It must be an id: a whole number above 0.');
  return found;
}

/** Parses an argument that is a Rupa ID, and returns it in lower case. Anything else is wrong usage. */
export function rupaId(text: string): RupaId {
  try {
    return parseRupaId(text);
  } catch {
    throw new InvalidArgumentError('It must have 1 to 64 letters, digits and hyphens.');
  }
}

/**
 * Parses an option by the rule of a field that HTTP takes, too, and returns its converted value. Anything else is wrong usage.
 * @param type an input of which no other field is required
 */
export function fieldOf<T extends Input<unknown>, Name extends string & keyof Fields<T>>(
  type: InputClass<T>,
  name: Name,
): (text: string) => Fields<T>[Name] {
  return (text) => {
    try {
      return validateFields(type, { [name]: text })[name];
    } catch (error) {
      if (error instanceof ValidationFailed) throw new InvalidArgumentError(error.sentences.join(' '));
      throw error;
    }
  };
}

class OperatorsDecision extends Input {
  @Required()
  @IsString()
  @MinLength(1)
  @MaxLength(500)
  reason: string;
}

/** Parses the reason of an operator's decision about the log, which the log shows. Anything else is wrong usage. */
export const decisionReason = fieldOf(OperatorsDecision, 'reason');
