import { EvidenceLog } from '../../contexts/evidence/evidence-file/evidence-log.js';
import { progress } from '../support/progress.js';
import { wholeNumber } from '../support/values.js';
import { writeOutput } from '../support/write-output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

const LINES_EVERY = 50_000;
const MAX_INDEX = 999_999_999_999_999;

/** Writes the evidence file (docs/audit.md). The audit trail shows who fetched it, as it does for the call over HTTP. */
export function writeEvidence(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .readsAudited()
    .argument('<file>', 'file to write; - for standard output')
    .option(
      '--from <index>',
      'index of the first event; FILE then has the events from there on, to be appended to an earlier file',
      wholeNumber(0, MAX_INDEX),
      0,
    )
    .action(async (file: string, { from }: { readonly from: number }) => {
      await runtime.withLog(async ({ eventStore }) => {
        // The number of events is known only at the end of the log.
        const bar = progress('Events', undefined, LINES_EVERY);
        try {
          const onRead = (events: number): void => {
            bar.advance(events);
          };
          const lines = new EvidenceLog(eventStore).lines({ from, onRead });
          await writeOutput(file, lines);
        } finally {
          bar.stop();
        }
      });
    });
}
