import { maintenanceInForce } from '../../contexts/maintenance/recorded-maintenance.js';
import { printable, printLine } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function showMaintenance(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .option('--json', 'print the maintenance as JSON, or null')
    .action(async ({ json }: { readonly json?: true }) => {
      const found = await runtime.withLog(({ eventStore, codec }) => maintenanceInForce(eventStore, codec, new Date()));
      if (json) printLine(JSON.stringify(found));
      else if (!found) printLine('No maintenance is in force.');
      else {
        const { reason, since, until, actor } = found;
        const end = until === null ? 'until it is ended: rupa maintenance off' : `until ${until}`;
        printLine(`In force since ${since}, ${end}\nBy ${printable(actor)}: ${printable(reason)}`);
      }
    });
}
