import { CommandBus } from '@nestjs/cqrs';
import { createReadStream, statSync } from 'node:fs';
import { importFarmers, type ImportResult } from '../../contexts/farmers/importing/import-farmers.js';
import { jsonLines } from '../../contexts/farmers/importing/json-lines.js';
import { MaintenanceMode, maintenanceMessage } from '../../http/limiting/maintenance-mode.js';
import { DataKeys } from '../../platform/key-store/data-keys.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { type Input, openInput, wrongFile } from '../support/input.js';
import { interruptible } from '../support/interruptible.js';
import { printError, printLine } from '../support/output.js';
import { progress } from '../support/progress.js';
import { RefusedLines } from '../support/refused-lines.js';
import { wholeNumber } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

const MAX_LINE = 999_999_999_999_999;
/** The exit code of a command that SIGINT ended. */
const INTERRUPTED = 130;

interface Options {
  readonly fromLine: number;
  readonly refused?: string;
  readonly json?: true;
}

export function importFarmerRecords(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument(
      '<file>',
      'file or pipe with one JSON object per line, as in PUT /admin/v1/farmers/{rupaId} with its rupa_id; - for standard input',
    )
    .option('--from-line <number>', 'first line to import, as an interrupted import prints it', wholeNumber(1, MAX_LINE), 1)
    .option(
      '--refused <path>',
      'file for the numbers of refused lines and the reasons, as JSON lines (default: <file>.refused.jsonl; of a pipe they are printed); --from-line adds to it',
    )
    .option('--json', 'print the result as JSON')
    .action(async (file: string, { fromLine, refused: path, json }: Options) => {
      if (path !== undefined && isSameFile(path, file))
        wrongFile(command, path, 'It is the file that is imported, and --refused would overwrite it: name another file.');
      const input = open(command, file);
      const total = input.isFile ? (await countLines(command, file)) - fromLine + 1 : undefined;
      const refusals = new RefusedLines(path ?? (input.isFile ? `${file}.refused.jsonl` : undefined), fromLine > 1);
      const { result, isInterrupted } = await run(runtime, { input, fromLine, total, refusals }).finally(() => {
        input.stream.destroy();
        refusals.close();
      });
      const { registered, updated, unchanged, refused, lastLine } = result;
      if (json) printLine(JSON.stringify({ registered, updated, unchanged, refused }));
      else printLine(`${registered} registered, ${updated} updated, ${unchanged} unchanged, ${refused} refused`);
      if (refused > 0) process.exitCode = 1;
      if (!isInterrupted) return;
      const listing = path === undefined ? '' : ` --refused ${path}`;
      const again = input.isFile ? 'run' : 'pass the same lines again to';
      printError(
        `Stopped after line ${lastLine}. To continue, ${again}: rupa farmers import ${file} --from-line ${lastLine + 1}${listing}`,
      );
      process.exitCode = INTERRUPTED;
    });
}

function isSameFile(one: string, other: string): boolean {
  const [first, second] = [one, other].map((path) => statSync(path, { throwIfNoEntry: false, bigint: true }));
  return first !== undefined && first.ino === second?.ino && first.dev === second.dev;
}

interface Run {
  readonly input: Input;
  readonly fromLine: number;
  readonly total: number | undefined;
  readonly refusals: RefusedLines;
}

async function run(
  runtime: CommandRuntime,
  { input: { stream }, fromLine, total, refusals }: Run,
): Promise<{ readonly result: ImportResult; readonly isInterrupted: boolean }> {
  return await runtime.withApplication(async (app) => {
    const commands = app.get(CommandBus);
    const dataKeys = app.get(DataKeys);
    const bar = progress('Farmers', total);
    return await interruptible('Stopped.', async (signal) => {
      // Standard input may be idle when the signal comes, and a named pipe without a writer.
      signal.addEventListener('abort', () => stream.destroy());
      const result = await importFarmers(untilAborted(jsonLines(stream), signal), {
        actor: runtime.actor,
        fromLine,
        signal,
        record: async (command) => {
          await refuseIn(app.get(MaintenanceMode));
          return await commands.execute(command);
        },
        unknownOf: (rupaIds) => dataKeys.withoutKey(rupaIds),
        onRejected: (line, reason) => {
          refusals.add(line, reason);
        },
        onLine: () => {
          bar.advance();
        },
      });
      if (!signal.aborted) await app.get(ReadModels).waitForAll();
      return { result, isInterrupted: signal.aborted };
    }).finally(() => {
      bar.stop();
    });
  });
}

/** Ends the import once maintenance begins: no other command runs long enough for that. @throws Error that says how to continue */
async function refuseIn(mode: MaintenanceMode): Promise<void> {
  const found = await mode.inForce();
  if (found)
    throw new Error(`${maintenanceMessage(found)}
Run the import again after it: lines that were recorded already change nothing then.`);
}

/** Ends when the signal is aborted, which destroys the input. */
async function* untilAborted<T>(lines: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  try {
    for await (const line of lines) {
      if (signal.aborted) return;
      yield line;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

function open(command: RupaCommand, file: string): Input {
  try {
    return openInput(file);
  } catch (error) {
    return wrongFile(command, file, `It cannot be read: ${(error as Error).message}`);
  }
}

/** Counts the lines, which also shows whether the file can be read before a store is opened. */
async function countLines(command: RupaCommand, file: string): Promise<number> {
  let count = 0;
  try {
    for (const lines = jsonLines(createReadStream(file)); !(await lines.next()).done;) count += 1;
  } catch (error) {
    wrongFile(command, file, `It cannot be read: ${(error as Error).message}`);
  }
  return count;
}
