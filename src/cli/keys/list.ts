import { QueryBus } from '@nestjs/cqrs';
import { type ApiKeyView } from '../../contexts/partners/keys/api-key-responses.dto.js';
import { ListApiKeys } from '../../contexts/partners/keys/list-api-keys.query.js';
import { everyPage } from '../support/input.js';
import { printLine } from '../support/output.js';
import { table } from '../support/table.js';
import { id } from '../support/values.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';

interface Options {
  readonly unlinked?: true;
  readonly json?: true;
}

export function listKeys(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('[partner]', 'id of the partner (default: the keys of all partners)', id)
    .option('--unlinked', 'only keys that are linked to no partner')
    .option('--json', 'print as JSON')
    .action(async (partnerId: string | undefined, { unlinked, json }: Options) => {
      if (unlinked && partnerId !== undefined) command.error('error: --unlinked cannot be combined with a partner, whose keys are linked');
      const filter = { partnerId, linked: unlinked ? false : undefined };
      const found = await runtime.withApplication((app) =>
        everyPage(async (limit, cursor) => {
          const { api_keys, next_cursor } = await app.get(QueryBus).execute(new ListApiKeys(filter, limit, cursor));
          return { items: api_keys, next_cursor };
        }),
      );
      printLine(json ? JSON.stringify(found) : keyTable(found));
    });
}

function keyTable(found: readonly ApiKeyView[]): string {
  const rows = found.map((key) => [
    key.key_id,
    key.partner_id ?? 'none',
    key.label ?? '',
    key.last_four ?? '',
    key.created_at,
    key.last_used_at ?? 'never',
    key.expires_at ?? '',
    key.deactivated_at ?? '',
  ]);
  return table(['key', 'partner', 'label', 'ends in', 'issued', 'last used', 'expires', 'deactivated'], rows);
}
