import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { DEFAULT_MODE } from '../../../kernel/accounts.js';
import { Clock } from '../../../kernel/clock.js';
import { DirectoryChanges } from '../../../platform/projecting/in-memory/directory-changes.js';
import { TestFarmers } from '../../farmers/public.js';
import { type RegisterPartnerDto } from './partners.dto.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { Customers } from './customers.js';
import { PARTNER_STREAMS } from '../domain/partner.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

/** Registers a partner, and completes once it is known on every instance. Raises NotYetInForce if it is recorded, but not known in time. */
export class RegisterPartner extends Command<{ partner_id: string; customer_number: number }> {
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
    private readonly readModels: ReadModels,
    private readonly customers: Customers,
  ) {}

  async execute({ partner, actor }: RegisterPartner): Promise<{ partner_id: string; customer_number: number }> {
    const partner_id = randomUUID();
    const { company_name, account_type } = partner;
    const mode = partner.mode ?? DEFAULT_MODE;
    // Test farmers come first, so that no service has sandbox partners without them, even if this process dies in between.
    if (mode === 'sandbox') await this.testFarmers.register();
    const command = { kind: 'register' as const, partner_id, company_name, account_type, mode, at: this.clock.iso(), actor };
    const committed = await this.streams.of(PARTNER_STREAMS).execute(partner_id, command, { mode });
    const stream = `partner-${partner_id}`;
    const next = `The id of the partner is ${partner_id}; do not register it again.`;
    await this.directory.waitFor(committed, { stream, readModel: 'partner', next });
    // The number follows from the place of the registration in the log, which the projector finds.
    await this.readModels.waitUntilInForce(committed, { stream, readModel: 'customer', next });
    const { customer_number } = await this.customers.get(partner_id);
    return { partner_id, customer_number };
  }
}
