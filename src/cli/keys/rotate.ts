import { refuseWrongMasterKeys } from '../../platform/key-store/check-master-keys.js';
import { type KeyCount } from '../../platform/key-store/key-counts.js';
import { type RotationResult, rotateKeys } from '../../platform/key-store/rotate-keys.js';
import { renewMacs, rowsUnderKey } from '../../platform/projecting/renew-macs.js';
import { RowMacs } from '../../platform/projecting/row-macs.js';
import { NOT_RENEWED, SIGNED_TABLES } from '../support/signed-tables.js';
import { interruptible } from '../support/interruptible.js';
import { withKeyLock } from '../support/key-lock.js';
import { printError, printLine } from '../support/output.js';
import { progress, type Progress } from '../support/progress.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime, type OpenKeys } from '../runtime.js';

interface Options {
  readonly new?: boolean;
  readonly json?: boolean;
}

export function rotateMasterKeys(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .servedInMaintenance()
    .option('--new', 'first generate a new current key; only for keys that the service generated itself')
    .option('--json', 'print the result as JSON')
    .action(async (options: Options) => {
      const { result, file } = await runtime.withKeys(async (keys) => ({
        result: await withKeyLock(keys.pool, () => rotate(keys, options)),
        file: keys.file,
      }));
      const stragglers = result.left.filter((count) => !count.current && count.data_keys + count.secrets > 0);
      if (options.json) printLine(JSON.stringify(result));
      else {
        printLine(
          `${result.data_keys} data keys and ${result.secrets} secrets were re-encrypted with master key "${result.left[0]?.id ?? ''}".`,
        );
        if (result.rows > 0) printLine(`${result.rows} rows that decide got a MAC under it.`);
        for (const count of result.left.slice(1)) printError(advice(count, file));
      }
      if (result.rows_left > 0)
        printError(
          `${result.rows_left} rows that decide still have a MAC under another key. Restart every instance with the new key first, then run this again, with the newest release that has used this database: an older one does not know all tables.`,
        );
      if (stragglers.length > 0 || result.rows_left > 0) process.exitCode = 1;
    });
}

async function rotate(keys: OpenKeys, options: Options): Promise<RotationResult & { readonly rows: number; readonly rows_left: number }> {
  if (options.new) await makeKey(keys);
  return await interruptible('Stopped. The keys re-encrypted so far stay so. To continue, run: rupa keys rotate', async (signal) => {
    let bar: Progress | undefined;
    try {
      const { pool } = keys;
      const masterKeys = keys.masterKeys();
      const rotated = await rotateKeys({
        pool,
        masterKeys,
        signal,
        onStart: (rows) => (bar = rows > 0 ? progress('Keys', rows) : undefined),
        onProgress: (rows) => bar?.advance(rows),
      });
      const rows = await renewMacs(pool, new RowMacs(masterKeys), SIGNED_TABLES, signal);
      const others = rotated.left.filter(({ current }) => !current);
      const left = await Promise.all(others.map(({ id }) => rowsUnderKey(pool, id, NOT_RENEWED)));
      return { ...rotated, rows, rows_left: left.reduce((sum, count) => sum + count, 0) };
    } finally {
      bar?.stop();
    }
  });
}

/** @throws Error, before a key is made, if the file lacks a key that the key store needs or has another one: the rotation would fail */
async function makeKey({ pool, masterKeys, file }: OpenKeys): Promise<void> {
  if (file === undefined)
    throw new Error(
      'The keys are in the setting MASTER_KEY: add the new key there, at first after the current one (docs/operations.md, "Keys").',
    );
  await refuseWrongMasterKeys(pool, masterKeys(), file);
  const { addMasterKey } = await import('../../../embedded/generated-secrets.js');
  printError(`Generated master key "${await addMasterKey(file)}" in ${file}.`);
}

function advice({ id, data_keys, secrets }: KeyCount, file: string | undefined): string {
  if (data_keys + secrets > 0) {
    return `An instance whose current key is still "${id}" encrypted ${data_keys} data keys and ${secrets} secrets with it meanwhile. Restart that instance with the new key first, then run this again.`;
  }
  const how = file === undefined ? 'After a day, it can be removed from MASTER_KEY' : `After a day, remove it with: rupa keys retire ${id}`;
  return `"${id}" encrypts nothing any more. ${how}. Older backups of the key store still need it.`;
}
