import { QueryBus } from '@nestjs/cqrs';
import { RegisteredPartners } from '../../contexts/partners/registering/registered-partners.js';
import { type WatchedEndpoint } from '../../contexts/webhooks/endpoints/endpoint-health.dto.js';
import { ListEndpoints } from '../../contexts/webhooks/endpoints/list-endpoints.query.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { everyPage } from '../support/input.js';
import { printLine } from '../support/output.js';
import { table } from '../support/table.js';
import { id } from '../support/values.js';

interface Options {
  readonly failing?: true;
  readonly json?: true;
}

export function listWebhooks(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('[partner]', 'id of the partner (default: the endpoints of all partners)', id)
    .option('--failing', 'only endpoints whose attempts fail, or that were disabled because they did')
    .option('--json', 'print as JSON')
    .action(async (partnerId: string | undefined, { failing, json }: Options) => {
      const found = await runtime.withApplication(async (app) => {
        if (partnerId !== undefined) await app.get(RegisteredPartners).assertExists(partnerId);
        return await everyPage(async (limit, cursor) => {
          const page = await app.get(QueryBus).execute(new ListEndpoints({ partnerId, failing }, limit, cursor));
          return { items: page.endpoints, next_cursor: page.next_cursor };
        });
      });
      printLine(json ? JSON.stringify(found) : endpointTable(found));
    });
}

function endpointTable(found: readonly WatchedEndpoint[]): string {
  const rows = found.map((each) => [
    each.id,
    each.partner_id,
    each.url,
    each.disabled_reason === null ? each.status : `${each.status} (${each.disabled_reason})`,
    each.failing_since ?? '',
    each.pending,
    each.exhausted,
  ]);
  return table(['endpoint', 'partner', 'URL', 'status', 'failing since', 'pending', 'exhausted'], rows, [0, 5, 6]);
}
