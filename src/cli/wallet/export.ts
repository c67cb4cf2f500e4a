import { exportTexts } from '../../contexts/wallet/verifying/wallet-export.js';
import { Codec } from '../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { type StoredEvent } from '../../platform/event-sourcing/recorded-event.js';
import { printError } from '../support/output.js';
import { writeOutput } from '../support/write-output.js';
import { findWallet, headText, walletProgress } from '../support/wallet-log.js';
import { id } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function exportWallet(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('<partner>', 'id of the partner', id)
    .argument('<file>', 'file to write; - for standard output')
    .action(async (partnerId: string, file: string) => {
      await runtime.withApplication(async (app) => {
        const { stream, entries } = await findWallet(app, partnerId);
        const bar = walletProgress('Entries', entries);
        let written = 0;
        let last: StoredEvent | undefined;
        try {
          const lines = exportTexts(app.get(Codec), app.get(EventStore), stream, (entry) => {
            written += 1;
            last = entry;
            bar.advance(1);
          });
          if (!(await writeOutput(file, lines))) return;
        } finally {
          bar.stop();
        }
        printError(last ? `${written} entries; the head to note is ${headOf(last)}` : 'The wallet is empty.');
      });
    });
}

function headOf({ revision, metadata }: StoredEvent): string {
  return headText({ revision: Number(revision), hash: metadata.hash ?? '' });
}
