import { endMaintenance } from '../../contexts/maintenance/change-maintenance.command.js';
import { printLine } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function endMaintenanceNow(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .servedInMaintenance()
    .action(async () => {
      const ended = await runtime.withLog((log) => endMaintenance(log, runtime.actor));
      printLine(ended ? 'Maintenance is over: every instance accepts all calls.' : 'No maintenance is in force.');
    });
}
