import { CommandBus } from '@nestjs/cqrs';
import { createReadStream } from 'node:fs';
import { type Readable } from 'node:stream';
import { importFarmers, type ImportResult } from '../../contexts/farmers/import-farmers.js';
import { jsonLines } from '../../contexts/farmers/json-lines.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { printError, progress, printLine } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

export function importFarmerRecords(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('import')
    .changes()
    .description('register or update farmers from JSON lines; a second run with the same file changes nothing')
    .argument('<file>', 'file with one JSON object per line, as in PUT /admin/v1/farmers/{rupaId} with its rupa_id; - for standard input')
    .option('--json', 'print the result as JSON')
    .action(async (file: string, options: { json?: boolean }) => {
      const total = file === '-' ? undefined : await countLines(file);
      const { registered, updated, unchanged, refused } = await run(runtime, file, total);
      if (options.json) printLine(JSON.stringify({ registered, updated, unchanged, refused }));
      else printLine(`${registered} registered, ${updated} updated, ${unchanged} unchanged, ${refused} refused`);
      if (refused > 0) process.exitCode = 1;
    });
}

async function run(runtime: CommandRuntime, file: string, total: number | undefined): Promise<ImportResult> {
  return await runtime.withApplication(async (app) => {
    const commands = app.get(CommandBus);
    const bar = progress('Farmers', total);
    const refusals: string[] = [];
    const input: Readable = file === '-' ? process.stdin : createReadStream(file);
    try {
      const result = await importFarmers(jsonLines(input), {
        actor: 'cli',
        record: (command) => commands.execute(command),
        onRejected: (line, reason) => refusals.push(`line ${line}: ${reason}`),
        onLine: () => {
          bar.advance();
        },
      });
      await app.get(ReadModels).waitForAll();
      return result;
    } finally {
      bar.stop();
      for (const refusal of refusals) printError(refusal);
    }
  });
}

async function countLines(file: string): Promise<number> {
  let count = 0;
  try {
    for await (const line of jsonLines(createReadStream(file))) if (typeof line !== 'string' || line.trim() !== '') count += 1;
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as Error).message}`, { cause: error });
  }
  return count;
}
