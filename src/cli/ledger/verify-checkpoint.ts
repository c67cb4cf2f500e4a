import { QueryBus } from '@nestjs/cqrs';
import { InvalidArgumentError } from 'commander';
import { parseVerifierKey } from '../../contexts/evidence/domain/signed-note.js';
import { type CheckpointVerification, VerifyCheckpoint } from '../../contexts/evidence/checkpoints/verify-checkpoint.query.js';
import { textOfFile } from '../support/input.js';
import { printError, printLine } from '../support/output.js';
import { progress, type Progress } from '../support/progress.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

const LINES_EVERY = 10_000;

interface Options {
  readonly key?: readonly string[];
  readonly json?: boolean;
}

export function verifyCheckpoint(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('[file]', 'file with the note that was kept (default: the latest checkpoint of the log)')
    .option('--key <verifier-key>', 'verifier key that was noted; may be repeated (default: the published ones)', collectKeys)
    .option('--json', 'print the result as JSON')
    .action(async (file: string | undefined, { key: keys, json }: Options) => {
      const note = file === undefined ? undefined : await textOfFile(command, file);
      let bar: Progress | undefined;
      const result = await runtime
        .withApplication((app) => {
          const onStart = (what: string, total: number): void => {
            bar?.stop();
            bar = progress(what, total, LINES_EVERY);
          };
          return app.get(QueryBus).execute(new VerifyCheckpoint({ note, keys, onStart, onRead: (count) => bar?.advance(count) }));
        })
        .finally(() => bar?.stop());
      print(result, json ?? false);
      if (!result.ok) process.exitCode = 1;
    });
}

function print(result: CheckpointVerification, json: boolean): void {
  const { ok, origin, tree_size, wallets, faults } = result;
  if (json) printLine(JSON.stringify(result));
  else if (ok)
    printLine(`checkpoint of ${origin ?? ''}: signed; the log has the ${tree_size ?? 0} events that it covers; ${wallets} wallets hold`);
  else
    for (const { partner_id, message } of faults)
      printError(partner_id === null ? message : `FAULT in the wallet of ${partner_id}. ${message}`);
}

function collectKeys(text: string, before: readonly string[] = []): readonly string[] {
  if (!parseVerifierKey(text)) throw new InvalidArgumentError('It must be a line of /.well-known/rupa-checkpoint-key.');
  return [...before, text];
}
