import { type Command } from 'commander';
import { countKeys, type KeyCount, missingKeys } from '../platform/key-store/key-counts.js';
import { complain, say, table } from './output.js';
import { withKeys } from './with-keys.js';

export function keysStatus(group: Command): void {
  group
    .command('status')
    .description('what is under which master key; ends with 1 where something is under one that is not in the setting')
    .option('--json', 'print as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const counts = await withKeys(({ pool, masterKeys }) => countKeys(pool, masterKeys()));
      say(json ? JSON.stringify(counts) : statusTable(counts));
      const missing = missingKeys(counts);
      if (missing === undefined) return;
      if (!json) complain(missing);
      process.exitCode = 1;
    });
}

function statusTable(counts: readonly KeyCount[]): string {
  const state = ({ current, in_setting }: KeyCount): string => (current ? 'current' : in_setting ? 'old' : 'NOT IN THE SETTING');
  const rows = counts.map((count) => [count.id, state(count), count.data_keys, count.secrets]);
  return table(['master key', '', 'data keys', 'secrets'], rows, [2, 3]);
}
