import { type INestApplicationContext } from '@nestjs/common';
import { type Command } from 'commander';
import { refuseForeignLog } from '../../platform/projecting/foreign-log.js';
import { type Projection } from '../../platform/projecting/projection.js';
import { withRebuildLock, rebuild, type Rebuilt } from '../../platform/projecting/rebuild.js';
import { complain, say } from '../support/output.js';
import { namedProjections } from '../support/named-projections.js';
import { withShadow } from '../support/shadow-work.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function rebuildProjections(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('rebuild')
    .changes()
    .description('build read models anew from the log, beside the live ones, and put them in their place; nobody has to stop')
    .argument('[name...]', 'read models')
    .option('--all', 'all of them, in one pass over the log')
    .option('--json', 'print the result as JSON')
    .action(async (names: string[], { all, json }: { all?: boolean; json?: boolean }, command: Command) => {
      const picked = namedProjections(command, names, all);
      // Without a projector: one would refuse what a newer release has built, and this is the way back from there.
      const rebuilt = await runtime.withApplication((app) => run(app, picked), { project: false });
      const { events, seconds, swapAttempts } = rebuilt;
      if (json) say(JSON.stringify({ projections: picked.map(({ name }) => name), events, seconds, swap_attempts: swapAttempts }));
      else
        say(
          `${picked.map(({ name }) => name).join(', ')}: rebuilt from ${events} events in ${seconds.toFixed(1)} s (${Math.round(events / seconds)}/s)`,
        );
    });
}

async function run(app: INestApplicationContext, picked: readonly Projection[]): Promise<Rebuilt> {
  return await withShadow(app, 'Rebuilding', async (parts) => {
    const waiting = (): void => {
      complain('Another rebuild is at work; waiting for it to end.');
    };
    await refuseForeignLog(parts.pool, parts.eventStore);
    return await withRebuildLock(parts, () => rebuild(parts, picked, 'read'), waiting);
  });
}
