import { type Random } from './random.js';

/** A day of some year, as ISO 8601 writes it. */
export function date(draw: Random, from: number, to: number, lastMonth = 12): string {
  const pad = (value: number): string => value.toString().padStart(2, '0');
  return `${draw.integer(from, to)}-${pad(draw.integer(1, lastMonth))}-${pad(draw.integer(1, 28))}`;
}
