import { type Command } from 'commander';
import { type KeyCount } from '../platform/key-store/key-counts.js';
import { type Rotated, rotateKeys } from '../platform/key-store/rotate-keys.js';
import { complain, progress, type Progress, say } from './output.js';
import { alone, type OpenKeys, withKeys } from './with-keys.js';

interface Options {
  readonly new?: boolean;
  readonly json?: boolean;
}

export function keysRotate(group: Command): void {
  group
    .command('rotate')
    .description('wrap everything under the current master key that is under an older one; nobody has to stop')
    .option('--new', 'make a new current key first, where the service made its keys itself')
    .option('--json', 'print the result as JSON')
    .action(async (options: Options) => {
      const { result, file } = await withKeys(async (keys) => ({
        result: await alone(keys, () => rotate(keys, options)),
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
  const stopping = new AbortController();
  const stop = (): void => {
    stopping.abort(new Error('Stopped. What was wrapped anew stays so; run it again to go on.'));
  };
  process.once('SIGINT', stop).once('SIGTERM', stop);
  let bar: Progress | undefined;
  try {
    return await rotateKeys({
      pool: keys.pool,
      masterKeys: keys.masterKeys(),
      signal: stopping.signal,
      onStart: (rows) => (bar = rows > 0 ? progress('Keys', rows) : undefined),
      onProgress: (rows) => bar?.advance(rows),
    });
  } finally {
    bar?.stop();
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

async function makeKey({ file }: OpenKeys): Promise<void> {
  if (file === undefined)
    throw new Error(
      'MASTER_KEY is given by the setting: put the new key there, behind the current one at first (docs/operations.md, "Keys").',
    );
  const { addMasterKey } = await import('../../embedded/secrets.js');
  complain(`Made master key "${await addMasterKey(file)}" in ${file}.`);
}

function advice({ id, data_keys, secrets }: KeyCount, file: string | undefined): string {
  if (data_keys + secrets > 0) {
    return `${data_keys} data keys and ${secrets} secrets came under "${id}" meanwhile: an instance still has it as its first key. Restart that one with the new key first, then run this again.`;
  }
  const how = file === undefined ? 'it may be taken out of MASTER_KEY' : `it may go: rupa keys retire ${id}`;
  return `Nothing is under "${id}" any more: ${how}. A backup of the key store from before now needs it, though.`;
}
