import { random, type Random } from '../../src/cli/demo/random.js';

/** The random values of a history, other than the data of farmers. */
export interface Draws extends Random {
  uuid(): string;
  hex(digits: number): string;
}

const HEX_DIGITS_PER_DRAW = 8;

export function draws(seed: number): Draws {
  const draw = random(seed, 0);
  const hex = (digits: number): string => {
    let text = '';
    while (text.length < digits)
      text += Math.floor(draw.next() * 4_294_967_296)
        .toString(16)
        .padStart(HEX_DIGITS_PER_DRAW, '0');
    return text.slice(0, digits);
  };
  const uuid = (): string => {
    const digits = hex(32);
    return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-a${digits.slice(17, 20)}-${digits.slice(20)}`;
  };
  return { ...draw, hex, uuid };
}
