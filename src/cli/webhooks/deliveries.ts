import { QueryBus } from '@nestjs/cqrs';
import { GetDeliveries } from '../../contexts/webhooks/delivering/get-deliveries.query.js';
import { EndpointFinder } from '../../contexts/webhooks/endpoints/endpoint-finder.js';
import { type Delivery } from '../../contexts/webhooks/endpoints/webhook-responses.dto.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine } from '../support/output.js';
import { table } from '../support/table.js';
import { idNumber, wholeNumber } from '../support/values.js';

const MAX_SHOWN = 10_000;

interface Options {
  readonly lines: number;
  readonly json?: true;
}

export function listDeliveries(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('<endpoint>', 'id of the endpoint, as rupa webhooks list prints it', idNumber)
    .option('-n, --lines <count>', 'number of newest deliveries', wholeNumber(1, MAX_SHOWN), 20)
    .option('--json', 'print as JSON')
    .action(async (endpointId: number, { lines, json }: Options) => {
      const { deliveries } = await runtime.withApplication(async (app) => {
        const { partner_id } = await app.get(EndpointFinder).find(endpointId);
        return await app.get(QueryBus).execute(new GetDeliveries(partner_id, endpointId, lines));
      });
      printLine(json ? JSON.stringify(deliveries) : deliveryTable(deliveries));
    });
}

function deliveryTable(found: readonly Delivery[]): string {
  const rows = found.map((each) => [
    each.id,
    each.event,
    each.status,
    each.attempt,
    each.error ?? each.response_status ?? '',
    each.attempted_at ?? '',
    each.next_attempt_at ?? '',
  ]);
  return table(['delivery', 'event', 'status', 'attempts', 'result', 'attempted', 'next attempt'], rows, [0, 3]);
}
