import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Returns the id of the process that holds a data folder. */
export function holderOf(dataDir: string): number {
  return Number(readFileSync(join(dataDir, 'holder'), 'utf8').split('\n')[0]);
}
