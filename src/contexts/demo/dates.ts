import { type Random } from './random.js';

/** Returns a random ISO 8601 date in the years `from` to `to`. */
export function date(draw: Random, from: number, to: number, lastMonth = 12): string {
  const pad = (value: number): string => value.toString().padStart(2, '0');
  return `${draw.integer(from, to)}-${pad(draw.integer(1, lastMonth))}-${pad(draw.integer(1, 28))}`;
}
