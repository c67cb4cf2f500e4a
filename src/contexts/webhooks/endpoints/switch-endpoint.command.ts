import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { WebhookChanges } from './change-webhook.command.js';
import { EndpointFinder } from './endpoint-finder.js';

/**
 * Enables or disables an endpoint of any partner. The sender cancels the deliveries that wait for a disabled endpoint. Enabling one does
 * not send what happened meanwhile: see the recovery of deliveries.
 * @throws Rejection `webhook_unknown`
 * @throws NotYetInForce
 */
export class SwitchEndpoint extends Command<void> {
  constructor(
    readonly endpointId: number,
    readonly to: 'enabled' | 'disabled',
    readonly actor: string,
  ) {
    super();
  }
}

@CommandHandler(SwitchEndpoint)
export class SwitchEndpointHandler implements ICommandHandler<SwitchEndpoint> {
  constructor(
    private readonly changes: WebhookChanges,
    private readonly endpoints: EndpointFinder,
  ) {}

  async execute({ endpointId, to, actor }: SwitchEndpoint): Promise<void> {
    const { partner_id, mode } = await this.endpoints.find(endpointId);
    const change = to === 'enabled' ? ({ kind: 'update', settings: {} } as const) : ({ kind: 'disable', reason: 'operator' } as const);
    await (await this.changes.apply({ partner_id, mode, actor }, endpointId, change)).untilInForce();
  }
}
