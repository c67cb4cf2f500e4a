import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { WebhookChanges } from './change-webhook.command.js';
import { EndpointFinder } from './endpoint-finder.js';

/**
 * Enables or disables an endpoint. The sender cancels the deliveries that wait for a disabled endpoint. Enabling one does not send what
 * happened meanwhile: see the recovery of deliveries.
 * @throws Rejection `webhook_unknown`
 * @throws NotYetInForce
 */
export class SwitchEndpoint extends Command<void> {
  constructor(
    readonly endpointId: number,
    readonly to: 'enabled' | 'disabled',
    readonly actor: string,
    /** The partner that calls; without one, an operator does, and the endpoint may be of any partner. */
    readonly partnerId?: string,
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

  async execute({ endpointId, to, actor, partnerId }: SwitchEndpoint): Promise<void> {
    const { partner_id, mode } = await this.endpoints.find(endpointId, partnerId);
    const reason = partnerId === undefined ? 'operator' : 'partner';
    const change = to === 'enabled' ? ({ kind: 'enable' } as const) : ({ kind: 'disable', reason } as const);
    await (await this.changes.apply({ partner_id, mode, actor }, endpointId, change)).untilInForce();
  }
}
