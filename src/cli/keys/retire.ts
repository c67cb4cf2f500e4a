import { countKeys } from '../../platform/key-store/key-counts.js';
import { rowsUnderKey } from '../../platform/projecting/renew-macs.js';
import { NOT_RENEWED } from '../support/signed-tables.js';
import { withKeyLock } from '../support/key-lock.js';
import { printLine } from '../support/output.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime, type OpenKeys } from '../runtime.js';

export function retireKey(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .servedInMaintenance()
    .argument('<id>', 'id of the master key')
    .action(async (id: string) => {
      await runtime.withKeys((keys) => withKeyLock(keys.pool, () => retire(keys, id)));
      printLine(`Master key "${id}" is removed.`);
    });
}

async function retire({ pool, masterKeys, file }: OpenKeys, id: string): Promise<void> {
  if (file === undefined) throw new Error('The keys are in the setting MASTER_KEY: remove the key there.');
  const found = (await countKeys(pool, masterKeys())).find((count) => count.id === id && count.in_setting);
  if (!found) throw new Error(`There is no master key "${id}".`);
  if (found.current) throw new Error(`Master key "${id}" is the current one; generate a new one first: rupa keys rotate --new`);
  const { data_keys, secrets } = found;
  if (data_keys + secrets > 0)
    throw new Error(`${data_keys} data keys and ${secrets} secrets are encrypted with master key "${id}"; first run: rupa keys rotate`);
  const rows = await rowsUnderKey(pool, id, NOT_RENEWED);
  if (rows > 0)
    throw new Error(
      `${rows} rows that decide have a MAC under master key "${id}"; first run, with the newest release that has used this database: rupa keys rotate`,
    );
  const { dropMasterKey } = await import('../../../embedded/generated-secrets.js');
  await dropMasterKey(file, id);
}
