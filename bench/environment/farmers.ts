import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generateFarmer } from '../../src/cli/demo/generate-farmer.js';
import { type CleanUp } from '../support/clean-up.js';
import { compiled, run } from '../support/child-programs.js';

const SEED = 1;

/** Imports generated farmers with `rupa farmers import`. Returns their ids. */
export async function importFarmers(
  cleanUp: CleanUp,
  dataDir: string,
  count: number,
  { mode = 'live', env = {} }: { readonly mode?: 'live' | 'sandbox'; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<string[]> {
  const farmers = Array.from({ length: count }, (_, index) => generateFarmer(SEED, index, mode));
  const file = join(cleanUp.folder(), 'farmers.jsonl');
  writeFileSync(file, farmers.map((farmer) => `${JSON.stringify(farmer)}\n`).join(''));
  await run(cleanUp, process.execPath, [compiled('src/cli.js'), 'farmers', 'import', file], { env: { DATA_DIR: dataDir, ...env } });
  return farmers.map(({ rupa_id }) => rupa_id);
}

/** Writes a file with one text per line, as load generators read it. Returns its path. */
export function linesFile(cleanUp: CleanUp, lines: readonly string[]): string {
  const file = join(cleanUp.folder(), 'lines');
  writeFileSync(file, `${lines.join('\n')}\n`);
  return file;
}
