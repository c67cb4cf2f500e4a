import { RejectionDto } from '../../contexts/approvals/approvals.dto.js';
import { FourEyes } from '../../contexts/approvals/four-eyes.js';
import { validateBody } from '../../http/validating/validation.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine } from '../support/output.js';
import { id } from '../support/values.js';

export function approveCall(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<approval>', 'id of the approval', id)
    .action(async (approvalId: string) => {
      const { kind } = await runtime.withApplication((app) => app.get(FourEyes).approve(approvalId, runtime.actor));
      printLine(`approved and executed: ${kind}`);
    });
}

export function rejectCall(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<approval>', 'id of the approval', id)
    .requiredOption('--reason <text>', 'reason; shown with the approval, and kept in the log for good')
    .action(async (approvalId: string, options: { readonly reason: string }) => {
      const rejection = validateBody(RejectionDto, options);
      const { kind } = await runtime.withApplication((app) => app.get(FourEyes).reject(approvalId, rejection, runtime.actor));
      printLine(`rejected: ${kind}`);
    });
}
