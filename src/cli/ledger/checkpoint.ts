import { CheckpointMaker } from '../../contexts/evidence/checkpoints/checkpoint-maker.js';
import { checkpointView } from '../../contexts/evidence/checkpoints/checkpoint-responses.dto.js';
import { ACTOR } from '../support/values.js';
import { printLine, printText } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function makeCheckpoint(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .option('--json', 'print the checkpoint as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const made = await runtime.withApplication((app) => app.get(CheckpointMaker).make(ACTOR));
      if (json) printLine(JSON.stringify(checkpointView(made)));
      else printText(made.note);
    });
}
