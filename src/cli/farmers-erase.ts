import { CommandBus } from '@nestjs/cqrs';
import { type Command } from 'commander';
import { EraseFarmer } from '../contexts/farmers/erase-farmer.command.js';
import { say } from './output.js';
import { rupaId } from './rupa-id.js';
import { withApp } from './with-app.js';

/** Adds to the commands about farmers. */
export function farmersErase(farmers: Command): void {
  farmers
    .command('erase')
    .description('erase a farmer for good: nothing personal can be read from then on, in the log neither; there is no way back')
    .argument('<rupa-id>', 'whom', rupaId)
    .option('--json', 'print as JSON')
    .action(async (rupa_id: string, { json }: { json?: boolean }) => {
      await withApp((app) => app.get(CommandBus).execute(new EraseFarmer(rupa_id, 'cli')));
      say(json ? JSON.stringify({ rupa_id, erased: true }) : `${rupa_id} is erased`);
    });
}
