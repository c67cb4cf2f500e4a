import { exportTexts } from '../../contexts/wallet/wallet-export.js';
import { Codec } from '../../platform/event-sourcing/codec.js';
import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { printError } from '../support/output.js';
import { writeToFile, writeToStdout } from '../support/write-output.js';
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
        const summary: Summary = { entries: 0, head: undefined };
        try {
          const lines = exportTexts(app.get(Codec), app.get(EventStore), stream, ({ revision, metadata }) => {
            summary.entries += 1;
            summary.head = headText({ revision: Number(revision), hash: metadata.hash ?? '' });
            bar.advance(1);
          });
          if (!(await (file === '-' ? writeToStdout(lines) : writeToFile(file, lines)))) return;
        } finally {
          bar.stop();
        }
        printError(summary.head === undefined ? 'The wallet is empty.' : `${summary.entries} entries; the head to note is ${summary.head}`);
      });
    });
}

interface Summary {
  entries: number;
  head: string | undefined;
}
