import { type KeyCount } from '../../platform/key-store/key-counts.js';
import { type Rotated, rotateKeys } from '../../platform/key-store/rotate-keys.js';
import { interruptible } from '../support/interruptible.js';
import { withKeyLock } from '../support/key-lock.js';
import { complain, progress, type Progress, say } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime, type OpenKeys } from '../runtime.js';

interface Options {
  readonly new?: boolean;
  readonly json?: boolean;
}

export function rotateMasterKeys(group: RupaCommand, runtime: CommandRuntime): void {
  group
    .command('rotate')
    .changes()
    .description('wrap everything under the current master key that is under an older one; nobody has to stop')
    .option('--new', 'make a new current key first, where the service made its keys itself')
    .option('--json', 'print the result as JSON')
    .action(async (options: Options) => {
      const { result, file } = await runtime.withKeys(async (keys) => ({
        result: await withKeyLock(keys.pool, () => rotate(keys, options)),
        file: keys.file,
      }));
      const stragglers = result.left.filter((count) => !count.current && count.data_keys + count.secrets > 0);
      if (options.json) say(JSON.stringify(result));
      else {
        say(`${result.data_keys} data keys and ${result.secrets} secrets were wrapped under master key "${result.left[0]?.id ?? ''}".`);
        for (const count of result.left.slice(1)) complain(advice(count, file));
      }
      if (stragglers.length > 0) process.exitCode = 1;
    });
}

async function rotate(keys: OpenKeys, options: Options): Promise<Rotated> {
  if (options.new) await makeKey(keys);
  return await interruptible('Stopped. What was wrapped anew stays so; run it again to go on.', async (signal) => {
    let bar: Progress | undefined;
    try {
      return await rotateKeys({
        pool: keys.pool,
        masterKeys: keys.masterKeys(),
        signal,
        onStart: (rows) => (bar = rows > 0 ? progress('Keys', rows) : undefined),
        onProgress: (rows) => bar?.advance(rows),
      });
    } finally {
      bar?.stop();
    }
  });
}

async function makeKey({ file }: OpenKeys): Promise<void> {
  if (file === undefined)
    throw new Error(
      'MASTER_KEY is given by the setting: put the new key there, behind the current one at first (docs/operations.md, "Keys").',
    );
  const { addMasterKey } = await import('../../../embedded/generated-secrets.js');
  complain(`Made master key "${await addMasterKey(file)}" in ${file}.`);
}

function advice({ id, data_keys, secrets }: KeyCount, file: string | undefined): string {
  if (data_keys + secrets > 0) {
    return `${data_keys} data keys and ${secrets} secrets came under "${id}" meanwhile: an instance still has it as its first key. Restart that one with the new key first, then run this again.`;
  }
  const how = file === undefined ? 'it may be taken out of MASTER_KEY' : `it may go: rupa keys retire ${id}`;
  return `Nothing is under "${id}" any more: ${how}. A backup of the key store from before now needs it, though.`;
}
