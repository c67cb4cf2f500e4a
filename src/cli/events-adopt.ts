import { type Command } from 'commander';
import { createPool } from '../platform/database/pool.js';
import { adoptLog, type Beyond } from '../platform/projecting/adopt-log.js';
import { say } from './output.js';
import { withEventStore } from './with-event-store.js';

export function eventsAdopt(group: Command): void {
  group
    .command('adopt')
    .description(
      'after a restore: make the database go on with a log that ends before what the database knows; the service must be stopped',
    )
    .option('--yes', 'do it; without, it tells what it would do')
    .action(async ({ yes }: { readonly yes?: true }) => {
      const beyond = await withEventStore(async (eventStore, _signal, { stores }) => {
        const pool = createPool(stores.databaseUrl, 1, () => undefined);
        try {
          return await adoptLog(pool, eventStore, yes ?? false);
        } finally {
          await pool.end();
        }
      });
      say(inWords(beyond, yes ?? false));
    });
}

function inWords(beyond: readonly Beyond[] | undefined, done: boolean): string {
  if (!beyond) return 'The database and the log belong together: there is nothing to do.';
  return [
    'The log does not hold what the database knows.',
    ...beyond.map(
      ({ projection, position }) =>
        `${projection} had come to position ${position}, of an event that is not there: it ${done ? 'goes' : 'would go'} on after the newest.`,
    ),
    done
      ? 'The database belongs to this log now. Start the service, which first builds the read models anew; then run: rupa wallet verify, rupa projections verify --all.'
      : 'If this is the log to go on with, run: rupa events adopt --yes. Nothing has been changed.',
  ].join('\n');
}
