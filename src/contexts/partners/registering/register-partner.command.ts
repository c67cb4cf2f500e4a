import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { DEFAULT_MODE } from '../../../kernel/accounts.js';
import { Clock } from '../../../kernel/clock.js';
import { DirectoryChanges } from '../../../platform/projecting/in-memory/directory-changes.js';
import { TestFarmers } from '../../farmers/public.js';
import { type RegisterPartnerDto } from './partners.dto.js';
import { PARTNER_STREAMS } from '../domain/partner.js';
import { Streams } from '../../../platform/event-sourcing/writing/streams.js';

export class RegisterPartner extends Command<{ partner_id: string }> {
  constructor(
    readonly partner: RegisterPartnerDto,
    readonly actor: string,
  ) {
    super();
  }
}

@CommandHandler(RegisterPartner)
export class RegisterPartnerHandler implements ICommandHandler<RegisterPartner> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly directory: DirectoryChanges,
    private readonly testFarmers: TestFarmers,
  ) {}

  async execute({ partner, actor }: RegisterPartner): Promise<{ partner_id: string }> {
    const partner_id = randomUUID();
    const { company_name, account_type } = partner;
    const mode = partner.mode ?? DEFAULT_MODE;
    // Test farmers come first, so that no service has sandbox partners without them, even if this process dies in between.
    if (mode === 'sandbox') await this.testFarmers.register();
    const command = { kind: 'register' as const, partner_id, company_name, account_type, mode, at: this.clock.iso(), actor };
    await this.directory.waitFor(await this.streams.of(PARTNER_STREAMS).execute(partner_id, command, { mode }), {
      stream: `partner-${partner_id}`,
      readModel: 'partner',
      next: `The id of the partner is ${partner_id}; do not register it again.`,
    });
    return { partner_id };
  }
}
