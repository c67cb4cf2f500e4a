import { QueryBus } from '@nestjs/cqrs';
import { ExplainLookup } from '../../contexts/lookups/explaining/explain-lookup.query.js';
import { lookupText } from '../support/lookup-text.js';
import { printLine } from '../support/output.js';
import { id } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function explainLookup(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('<lookup>', 'id of the lookup, as in the entries of the wallet', id)
    .option('--json', 'print as JSON')
    .action(async (lookupId: string, { json }: { json?: boolean }) => {
      const found = await runtime.withApplication((app) => app.get(QueryBus).execute(new ExplainLookup(lookupId)));
      if (!found) throw new Error('No lookup with that id was ever charged.');
      printLine(json ? JSON.stringify(found) : lookupText(found));
    });
}
