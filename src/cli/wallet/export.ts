import { EventStore } from '../../platform/event-sourcing/event-store.js';
import { type StoredEvent } from '../../platform/event-sourcing/recorded-event.js';
import { complain, type Progress } from '../support/output.js';
import { pourIntoFile, pourOut } from '../support/pour.js';
import { findWallet, headText, walletProgress } from '../support/wallet-log.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function exportWallet(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('export')
    .reads()
    .description('a wallet as JSON lines that anybody can check: docs/audit.md')
    .argument('<partner>', 'its id')
    .argument('<file>', 'where to, or - for standard output')
    .action(async (partnerId: string, file: string) => {
      await runtime.withApplication(async (app) => {
        const { stream, entries } = await findWallet(app, partnerId);
        const bar = walletProgress('Entries', entries);
        const told: Told = { entries: 0, head: undefined };
        try {
          const lines = exported(app.get(EventStore).streamPages(stream), bar, told);
          if (!(await (file === '-' ? pourOut(lines) : pourIntoFile(file, lines)))) return;
        } finally {
          bar.stop();
        }
        complain(told.head === undefined ? 'The wallet is empty.' : `${told.entries} entries; the head to note is ${told.head}`);
      });
    });
}

interface Told {
  entries: number;
  head: string | undefined;
}

async function* exported(pages: AsyncIterable<readonly StoredEvent[]>, bar: Progress, told: Told): AsyncGenerator<string> {
  for await (const page of pages) {
    yield page.map(exportLine).join('');
    const last = page.at(-1);
    told.entries += page.length;
    if (last) told.head = headText({ revision: Number(last.revision), hash: last.metadata.hash ?? '' });
    bar.advance(page.length);
  }
}

/** As the log holds it. What some readers take for the end of a line is escaped: it means the same in JSON. */
function exportLine({ stream, revision, type, data, metadata }: StoredEvent): string {
  const line = JSON.stringify({ stream, revision: Number(revision), type, data, metadata });
  return `${line.replaceAll(/[\u0085\u2028\u2029]/g, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`)}\n`;
}
