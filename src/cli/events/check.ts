import { logBar } from '../support/log-bar.js';
import { printError, printLine } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function checkEvents(command: RupaCommand, runtime: CommandRuntime): void {
  command.reads().action(async () => {
    const bar = logBar('Checking');
    const { events, faults, notes = [] } = await runtime.checkLog(bar.show).finally(bar.stop);
    for (const fault of faults) printError(fault);
    if (faults.length === 0) {
      printLine([`${events} events: all are whole.`, ...notes].join(' '));
      return;
    }
    printError(`${faults.length} ${faults.length === 1 ? 'fault' : 'faults'} in ${events} events.`);
    process.exitCode = 1;
  });
}
