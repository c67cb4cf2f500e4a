import { type INestApplicationContext } from '@nestjs/common';
import { rebuildReadModels } from '../../contexts/rebuilding/read-model-work.js';
import { type Projection } from '../../platform/projecting/projection.js';
import { type RebuildResult } from '../../platform/projecting/rebuilding/rebuild.js';
import { printError, printLine } from '../support/output.js';
import { namedProjections, withShadow } from '../support/shadow-work.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function rebuildProjections(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .servedInMaintenance()
    .argument('[name...]', 'names of read models')
    .option('--all', 'all read models, in one pass over the log')
    .option('--json', 'print the result as JSON')
    .action(async (names: string[], { all, json }: { all?: boolean; json?: boolean }) => {
      const picked = namedProjections(command, names, all);
      // No projector is started: it would refuse read models that a newer release has built, and this command is the way back from those.
      const rebuilt = await runtime.withApplication((app) => run(app, picked), { project: false });
      const { events, seconds, swapAttempts } = rebuilt;
      if (json) printLine(JSON.stringify({ projections: picked.map(({ name }) => name), events, seconds, swap_attempts: swapAttempts }));
      else
        printLine(
          `${picked.map(({ name }) => name).join(', ')}: rebuilt from ${events} events in ${seconds.toFixed(1)} s (${Math.round(events / seconds)}/s)`,
        );
    });
}

async function run(app: INestApplicationContext, picked: readonly Projection[]): Promise<RebuildResult> {
  return await withShadow(app, 'Rebuilding', async (parts) => {
    const waiting = (): void => {
      printError('Another rebuild is running; waiting for it to finish.');
    };
    return await rebuildReadModels(parts, picked, waiting);
  });
}
