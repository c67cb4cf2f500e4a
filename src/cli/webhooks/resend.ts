import { CommandBus } from '@nestjs/cqrs';
import { EndpointFinder } from '../../contexts/webhooks/endpoints/endpoint-finder.js';
import { ResendDelivery } from '../../contexts/webhooks/delivering/send-again.command.js';
import { type RupaCommand } from '../rupa-command.js';
import { type CommandRuntime } from '../runtime.js';
import { printLine } from '../support/output.js';
import { idNumber } from '../support/values.js';

export function resendDelivery(command: RupaCommand, runtime: CommandRuntime): void {
  command
    .changes()
    .argument('<endpoint>', 'id of the endpoint, as rupa webhooks list prints it', idNumber)
    .argument('<delivery>', 'id of the delivery, as rupa webhooks deliveries prints it', idNumber)
    .action(async (endpointId: number, deliveryId: number) => {
      await runtime.withApplication(async (app) => {
        const { partner_id } = await app.get(EndpointFinder).find(endpointId);
        await app.get(CommandBus).execute(new ResendDelivery(partner_id, endpointId, deliveryId));
      });
      printLine('queued');
    });
}
