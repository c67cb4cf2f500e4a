import { CommandBus } from '@nestjs/cqrs';
import { type Command } from 'commander';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { importFarmers, type ImportResult } from '../farmers/import-farmers.js';
import { ReadModels } from '../infrastructure/read-models.js';
import { complain, progress, say } from './output.js';
import { withApp } from './with-app.js';

/** Adds to the commands about farmers. */
export function farmersImport(farmers: Command): void {
  farmers
    .command('import')
    .description('register or update farmers, a JSON object a line; running it again changes nothing')
    .argument('<file>', 'JSON lines, or - for standard input')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, options: { json?: boolean }) => {
      const total = file === '-' ? undefined : await countLines(file);
      const { registered, updated, unchanged, refused } = await run(file, total);
      if (options.json) say(JSON.stringify({ registered, updated, unchanged, refused }));
      else say(`${registered} registered, ${updated} updated, ${unchanged} unchanged, ${refused} refused`);
      if (refused > 0) process.exitCode = 1;
    });
}

async function run(file: string, total: number | undefined): Promise<ImportResult> {
  return await withApp(async (app) => {
    const bar = progress('Farmers', total);
    const refusals: string[] = [];
    const input = file === '-' ? process.stdin : createReadStream(file);
    try {
      const result = await importFarmers(app.get(CommandBus), createInterface({ input, crlfDelay: Infinity }), {
        actor: 'cli',
        onRefused: (line, reason) => refusals.push(`line ${line}: ${reason}`),
        onLine: () => {
          bar.advance();
        },
      });
      await app.get(ReadModels).showAll();
      return result;
    } finally {
      bar.stop();
      for (const refusal of refusals) complain(refusal);
    }
  });
}

async function countLines(file: string): Promise<number> {
  let count = 0;
  const handle = await open(file).catch((error: unknown) => {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`);
  });
  for await (const line of handle.readLines()) if (line.trim() !== '') count += 1;
  return count;
}
