import { countKeys, type KeyCount, missingKeys } from '../../platform/key-store/key-counts.js';
import { printError, printLine } from '../support/output.js';
import { table } from '../support/table.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function keysStatus(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .option('--json', 'print as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const counts = await runtime.withKeys(({ pool, masterKeys }) => countKeys(pool, masterKeys()));
      printLine(json ? JSON.stringify(counts) : statusTable(counts));
      const missing = missingKeys(counts);
      if (missing === undefined) return;
      if (!json) printError(missing);
      process.exitCode = 1;
    });
}

function statusTable(counts: readonly KeyCount[]): string {
  const state = ({ current, in_setting }: KeyCount): string => (current ? 'current' : in_setting ? 'old' : 'NOT IN MASTER_KEY');
  const rows = counts.map((count) => [count.id, state(count), count.data_keys, count.secrets]);
  return table(['master key', '', 'data keys', 'secrets'], rows, [2, 3]);
}
