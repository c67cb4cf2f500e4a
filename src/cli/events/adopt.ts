import { adoptLog, type LostCheckpoint } from '../../platform/projecting/logs/adopt-log.js';
import { INTERRUPTED, interruptible } from '../support/interruptible.js';
import { printLine } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function adoptEvents(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .option('--yes', 'make the change; without this option, the command only prints it')
    .action(async ({ yes }: { readonly yes?: true }) => {
      const lost = await runtime.withLog(({ pool, eventStore }) =>
        // Ctrl-C must not end the process in the middle of the change.
        interruptible(INTERRUPTED, () => adoptLog(pool, eventStore, yes ?? false)),
      );
      printLine(inWords(lost, yes ?? false));
    });
}

function inWords(lost: readonly LostCheckpoint[] | undefined, done: boolean): string {
  if (!lost) return 'The database and the log belong together: there is nothing to do.';
  return [
    'The log does not contain all events that the database has processed.',
    ...lost.map(
      ({ projection, position }) =>
        `${projection} is at position ${position}, whose event is not in the log: it ${done ? 'continues' : 'would continue'} after the newest event.`,
    ),
    done
      ? 'The database belongs to this log now. Start the service, which first rebuilds the read models from the log; then run: rupa wallet verify, rupa projections verify --all.'
      : 'Nothing has been changed. To continue with this log, run: rupa events adopt --yes',
  ].join('\n');
}
