import { Command, CommandHandler, type ICommandHandler, QueryBus } from '@nestjs/cqrs';
import { type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { Clock } from '../../../kernel/clock.js';
import { FarmerFinder, FarmerRejection } from '../../farmers/public.js';
import { GetLowBalanceThreshold } from '../../partners/public.js';
import { LOW_BALANCE_TYPE } from '../domain/notification-types.js';
import { type SandboxEventDto } from '../endpoints/webhooks.dto.js';
import { SANDBOX_EVENT_STREAMS } from '../domain/sandbox-event.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

/**
 * Makes a notification for the endpoints and the list of events of one sandbox partner alone, whatever its consents. Raises Rejection
 * `farmer_unknown` if a notification about a farmer names none of the sandbox.
 */
export class TriggerEvent extends Command<void> {
  constructor(
    readonly partner: Pick<PartnerContext, 'partner_id' | 'key_id' | 'mode'>,
    readonly event: SandboxEventDto,
    /** Id of the notification: a UUID. A command that runs again with the same id does nothing. */
    readonly notificationId: string,
  ) {
    super();
  }
}

@CommandHandler(TriggerEvent)
export class TriggerEventHandler implements ICommandHandler<TriggerEvent> {
  constructor(
    private readonly streams: Streams,
    private readonly farmers: FarmerFinder,
    private readonly queries: QueryBus,
    private readonly clock: Clock,
  ) {}

  async execute({ partner: { partner_id, key_id, mode }, event: { type, rupa_id = null }, notificationId }: TriggerEvent): Promise<void> {
    const isAboutAccount = type === LOW_BALANCE_TYPE;
    if (!isAboutAccount && (await this.farmers.find(rupa_id as string))?.mode !== mode) throw new FarmerRejection('farmer_unknown');
    const threshold_kobo = isAboutAccount ? await this.queries.execute(new GetLowBalanceThreshold(partner_id)) : null;
    const command = {
      notification_id: notificationId,
      partner_id,
      notification_type: type,
      rupa_id: isAboutAccount ? null : rupa_id,
      threshold_kobo,
      at: this.clock.iso(),
      actor: `key:${key_id}`,
    };
    await this.streams.of(SANDBOX_EVENT_STREAMS).execute(notificationId, command, { mode });
  }
}
