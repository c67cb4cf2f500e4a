import { beginMaintenance } from '../../contexts/maintenance/change-maintenance.command.js';
import { MaintenanceDto } from '../../contexts/maintenance/maintenance.dto.js';
import { validateBody } from '../../http/validating/validation.js';
import { printLine } from '../support/output.js';
import { instant } from '../support/wallet-log.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

interface Options {
  readonly reason: string;
  readonly until?: string;
}

export function beginMaintenanceNow(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .servedInMaintenance()
    .requiredOption('--reason <text>', 'why; every partner whose call is refused sees it, and the log keeps it')
    .option('--until <time>', 'ISO 8601 time at which maintenance ends by itself (default: until rupa maintenance off)', instant)
    .action(async (options: Options) => {
      const announcement = validateBody(MaintenanceDto, { reason: options.reason, until: options.until });
      // Without the application, which would not start on stores that do not belong together, and would start a projector.
      const begun = await runtime.withLog((log) => beginMaintenance(log, announcement, runtime.actor));
      const end =
        begun?.until == null ? 'until you run: rupa maintenance off' : `until ${begun.until}, or until you run: rupa maintenance off`;
      printLine(
        `No instance accepts calls that change something any more, ${end}\nCalls that were accepted before finish within 20 seconds; charges that are open then are settled or refunded within about a minute and a half.`,
      );
    });
}
