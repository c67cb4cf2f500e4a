import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { FREE_CALLS_POOL } from '../../../platform/injection-tokens.js';
import { WebhookChanges } from './change-webhook.command.js';
import { findEndpoint } from './find-endpoint.js';

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
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
  ) {}

  async execute({ endpointId, to, actor }: SwitchEndpoint): Promise<void> {
    const { partner_id, mode } = await findEndpoint(this.pool, endpointId);
    const change = to === 'enabled' ? ({ kind: 'update', settings: {} } as const) : ({ kind: 'disable', reason: 'operator' } as const);
    await (await this.changes.apply({ partner_id, mode, actor }, endpointId, change)).untilInForce();
  }
}
