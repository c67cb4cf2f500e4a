import { CheckpointKeys } from '../../contexts/checkpoints/checkpoint-keys.js';
import { ACTOR } from '../support/actor.js';
import { printLine } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function rotateCheckpointKey(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('rotate-checkpoint')
    .changes()
    .description('generate a new key that signs checkpoints, and print its verifier key; the former one stays published')
    .action(async () => {
      const signer = await runtime.withApplication((app) => app.get(CheckpointKeys).rotate(ACTOR), { project: false });
      printLine(signer.verifierKey);
    });
}
