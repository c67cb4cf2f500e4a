import { CheckpointMaker } from '../../contexts/evidence/checkpoints/checkpoint-maker.js';
import { checkpointView } from '../../contexts/evidence/checkpoints/checkpoint-responses.dto.js';
import { Cosignatures } from '../../contexts/evidence/witnesses/cosignature-table.js';
import { printLine, printText } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function makeCheckpoint(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .servedInMaintenance()
    .option('--json', 'print the checkpoint as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const { made, cosignatures } = await runtime.withApplication(async (app) => {
        const checkpoint = await app.get(CheckpointMaker).make(runtime.actor);
        return { made: checkpoint, cosignatures: await app.get(Cosignatures).of(checkpoint) };
      });
      if (json) printLine(JSON.stringify(checkpointView(made, cosignatures)));
      else printText(made.note);
    });
}
