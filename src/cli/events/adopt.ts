import { adoptAfter, lossIn, type Loss } from '../../contexts/evidence/checkpoints/find-loss.js';
import { adoptLog, type LostCheckpoint } from '../../platform/projecting/logs/adopt-log.js';
import { textOfFile } from '../support/input.js';
import { INTERRUPTED, interruptible } from '../support/interruptible.js';
import { printLine } from '../support/output.js';
import { decisionReason } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime, type OpenLog } from '../runtime.js';

interface Options {
  readonly reason?: string;
  readonly note?: string;
}

/** The positions that the database has processed and the events of a checkpoint that the log lacks. */
interface Adoption {
  readonly lost: readonly LostCheckpoint[] | undefined;
  readonly loss: Loss | undefined;
  /** Origin of the log that began. */
  readonly origin: string | undefined;
}

export function adoptEvents(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .servedInMaintenance()
    .option(
      '--reason <text>',
      'whose loss it was, and why; makes the change, and the log shows it. Without it, the command only prints it',
      decisionReason,
    )
    .option('--note <file>', 'file with a checkpoint that was kept elsewhere, if the service does not know of the loss')
    .action(async ({ reason, note: file }: Options) => {
      const note = file === undefined ? undefined : await textOfFile(command, file);
      // Ctrl-C must not end the process in the middle of the change.
      const adoption = await runtime.withLog((log) =>
        interruptible(INTERRUPTED, () => adopt(log, reason === undefined ? undefined : { reason, actor: runtime.actor }, note)),
      );
      printLine(inWords(adoption, reason !== undefined));
    });
}

/** @throws Error if nothing was lost */
async function adopt(
  log: OpenLog,
  by: { readonly reason: string; readonly actor: string } | undefined,
  note: string | undefined,
): Promise<Adoption> {
  const stores = { ...log, secrets: log.secrets() };
  const loss = await lossIn(stores, note);
  let origin: string | undefined;
  const record = async (): Promise<void> => {
    if (loss && by) origin = await adoptAfter(loss, stores, by);
  };
  const lost = await adoptLog(log.pool, log.eventStore, by !== undefined, record);
  if (!lost && !loss)
    throw new Error(
      'Nothing was lost as far as the service knows: the database and the log belong together, and the log extends its newest checkpoint. If a checkpoint that was kept elsewhere covers more, name its file: --note.',
    );
  if (!lost) await record();
  return { lost, loss, origin };
}

function inWords({ lost, loss, origin }: Adoption, done: boolean): string {
  return [
    ...(loss ? [lossInWords(loss)] : []),
    ...(lost ? ['The log does not contain all events that the database has processed.'] : []),
    ...(lost ?? []).map(
      ({ projection, position }) =>
        `${projection} is at position ${position}, whose event is not in the log: it ${done ? 'continues' : 'would continue'} after the newest event.`,
    ),
    ...(done
      ? doneInWords(lost !== undefined, origin)
      : ['Nothing has been changed. To continue with this log, run: rupa events adopt --reason "…"']),
  ].join('\n');
}

function lossInWords({ note: { origin, tree_size }, lost_events }: Loss): string {
  const count = lost_events === null ? 'It is not known how many.' : `They are ${lost_events}.`;
  return `The log lacks events of the ${tree_size} that the newest checkpoint of ${origin} covers, or has others in their place. ${count}`;
}

function doneInWords(hasSwitched: boolean, origin: string | undefined): string[] {
  return [
    ...(origin === undefined
      ? []
      : [
          `A new log begins: ${origin}. Its first checkpoint has a new key, which the service publishes beside the former ones. Send it to witnesses, auditors and partners.`,
        ]),
    ...(hasSwitched
      ? [
          'The database belongs to this log now. Start the service, which first rebuilds the read models from the log; then run: rupa wallet verify, rupa projections verify --all.',
        ]
      : []),
  ];
}
