import { verifyReadModels } from '../../contexts/rebuilding/read-model-work.js';
import { type Difference, type VerificationResult } from '../../platform/projecting/rebuilding/verify.js';
import { printError, printable, printLine } from '../support/output.js';
import { table } from '../support/table.js';
import { namedProjections, withShadow } from '../support/shadow-work.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function verifyProjections(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('[name...]', 'names of read models')
    .option('--all', 'all read models, in one pass over the log')
    .option('--json', 'print as JSON')
    .action(async (names: string[], { all, json }: { all?: boolean; json?: boolean }) => {
      const picked = namedProjections(command, names, all);
      const verified = await runtime.withApplication((app) => withShadow(app, 'Verifying', (parts) => verifyReadModels(parts, picked)));
      if (json) printLine(JSON.stringify(verified));
      else show(verified);
      if (verified.some(({ differing }) => differing > 0)) process.exitCode = 1;
    });
}

function show(verified: readonly VerificationResult[]): void {
  const rows = verified.map(({ projection, rows, differing, digest }) => [projection, rows, differing, digest.slice(0, 16)]);
  printLine(table(['read model', 'rows', 'differ', 'digest'], rows, [1, 2]));
  for (const { projection, differing, differences } of verified) {
    if (differing === 0) continue;
    for (const difference of differences) printError(differenceInWords(projection, difference));
    if (differing > differences.length) printError(`${projection}: and ${differing - differences.length} more`);
  }
  const wrong = verified.filter(({ differing }) => differing > 0).map(({ projection }) => projection);
  if (wrong.length > 0) printError(`To repair this, run: rupa projections rebuild ${wrong.join(' ')}`);
}

/** Returns a sentence that names a row that differs from the log. */
export function differenceInWords(projection: string, { key, kind, columns }: Difference): string {
  const row = `${projection} ${printable(key)}:`;
  switch (kind) {
    case 'missing':
      return `${row} is missing from the live table`;
    case 'unexpected':
      return `${row} is in the live table, but not in the rebuilt one`;
    case 'different':
      return `${row} differs in ${columns.join(', ')}`;
  }
}
