/** Returns the id of a partner that a benchmark adds to a log by its number, from 0 on. */
export function benchPartnerId(number: number): string {
  return `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
}
