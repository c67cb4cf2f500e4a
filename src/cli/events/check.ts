import { logBar } from '../support/log-bar.js';
import { printError, printLine } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function checkEvents(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('check')
    .reads()
    .description('read the whole log and name what is damaged; exits with 1 if anything is. Stop the service to check the files themselves')
    .action(async () => {
      const bar = logBar('Checking');
      const { events, faults } = await runtime.checkLog(bar.show).finally(bar.stop);
      for (const fault of faults) printError(fault);
      if (faults.length === 0) {
        printLine(`${events} events: all are whole.`);
        return;
      }
      printError(`${faults.length} ${faults.length === 1 ? 'fault' : 'faults'} in ${events} events.`);
      process.exitCode = 1;
    });
}
