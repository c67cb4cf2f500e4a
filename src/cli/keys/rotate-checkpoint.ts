import { CheckpointKeys } from '../../contexts/evidence/checkpoints/checkpoint-keys.js';
import { printLine } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function rotateCheckpointKey(command: RupaCommand, runtime: CommandRuntime): void {
  command.changes().action(async () => {
    const signer = await runtime.withApplication((app) => app.get(CheckpointKeys).rotate(runtime.actor), { project: false });
    printLine(signer.verifierKey);
  });
}
