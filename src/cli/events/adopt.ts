import { adoptLog, type LostCheckpoint } from '../../platform/projecting/adopt-log.js';
import { INTERRUPTED, interruptible } from '../support/interruptible.js';
import { say } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function adoptEvents(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('adopt')
    .changes()
    .description(
      'after a restore: make the database go on with a log that ends before what the database knows; the service must be stopped',
    )
    .option('--yes', 'do it; without, it tells what it would do')
    .action(async ({ yes }: { readonly yes?: true }) => {
      const lost = await runtime.withLog(({ pool, eventStore }) =>
        // Ctrl-C must not end the process in the middle of the change.
        interruptible(INTERRUPTED, () => adoptLog(pool, eventStore, yes ?? false)),
      );
      say(inWords(lost, yes ?? false));
    });
}

function inWords(lost: readonly LostCheckpoint[] | undefined, done: boolean): string {
  if (!lost) return 'The database and the log belong together: there is nothing to do.';
  return [
    'The log does not hold what the database knows.',
    ...lost.map(
      ({ projection, position }) =>
        `${projection} had come to position ${position}, of an event that is not there: it ${done ? 'goes' : 'would go'} on after the newest.`,
    ),
    done
      ? 'The database belongs to this log now. Start the service, which first builds the read models anew; then run: rupa wallet verify, rupa projections verify --all.'
      : 'If this is the log to go on with, run: rupa events adopt --yes. Nothing has been changed.',
  ].join('\n');
}
