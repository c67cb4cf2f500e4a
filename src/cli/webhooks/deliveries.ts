import { QueryBus } from '@nestjs/cqrs';
import { GetDeliveries } from '../../contexts/webhooks/delivering/get-deliveries.query.js';
import { EndpointFinder } from '../../contexts/webhooks/endpoints/endpoint-finder.js';
import { type Delivery, DELIVERY_STATUSES } from '../../contexts/webhooks/endpoints/webhook-responses.dto.js';
import { DeliveriesQueryDto } from '../../contexts/webhooks/endpoints/webhooks.dto.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine } from '../support/output.js';
import { table } from '../support/table.js';
import { fieldOf, idNumber, wholeNumber } from '../support/values.js';

const MAX_SHOWN = 10_000;

type Filter = Pick<DeliveriesQueryDto, 'status' | 'from' | 'to' | 'event'> & { readonly rupaId?: string };

interface Options extends Filter {
  readonly lines: number;
  readonly json?: true;
}

export function listDeliveries(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .reads()
    .argument('<endpoint>', 'id of the endpoint, as rupa webhooks list prints it', idNumber)
    .option('--status <status>', `only deliveries of this status: ${DELIVERY_STATUSES.join(', ')}`, fieldOf(DeliveriesQueryDto, 'status'))
    .option('--from <time>', 'ISO 8601 date (its midnight, UTC) or timestamp: queued at or after it', fieldOf(DeliveriesQueryDto, 'from'))
    .option('--to <time>', 'ISO 8601 date (its midnight, UTC) or timestamp: queued before it', fieldOf(DeliveriesQueryDto, 'to'))
    .option('--rupa-id <id>', 'only deliveries about this farmer', fieldOf(DeliveriesQueryDto, 'rupa_id'))
    .option('--event <type>', 'only deliveries of this event, such as farmer.loan_added', fieldOf(DeliveriesQueryDto, 'event'))
    .option('-n, --lines <count>', 'number of newest deliveries', wholeNumber(1, MAX_SHOWN), 20)
    .option('--json', 'print as JSON')
    .action(async (endpointId: number, { lines, json, ...filter }: Options) => {
      const { deliveries } = await runtime.withApplication(async (app) => {
        const { partner_id } = await app.get(EndpointFinder).find(endpointId);
        return await app.get(QueryBus).execute(new GetDeliveries(partner_id, endpointId, lines, filter));
      });
      printLine(json ? JSON.stringify(deliveries) : deliveryTable(deliveries));
    });
}

function deliveryTable(found: readonly Delivery[]): string {
  const rows = found.map((each) => [
    each.id,
    each.created_at,
    each.event,
    each.status,
    each.attempt,
    each.error ?? each.response_status ?? '',
    each.attempted_at ?? '',
    each.next_attempt_at ?? '',
  ]);
  return table(['delivery', 'queued', 'event', 'status', 'attempts', 'result', 'attempted', 'next attempt'], rows, [0, 4]);
}
