import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { randomUUID } from 'node:crypto';
import { Clock } from '../../kernel/clock.js';
import { DirectoryChanges } from '../../platform/projecting/directory-changes.js';
import { type AccountType } from '../../kernel/account-types.js';
import { type Mode } from '../../kernel/modes.js';
import { TestFarmers } from '../farmers/public.js';
import { PartnerStream } from './partner-stream.js';

export class RegisterPartner extends Command<{ partner_id: string }> {
  constructor(
    readonly partner: { readonly company_name: string; readonly account_type: AccountType; readonly mode: Mode },
    readonly actor: string,
  ) {
    super();
  }
}

@CommandHandler(RegisterPartner)
export class RegisterPartnerHandler implements ICommandHandler<RegisterPartner> {
  constructor(
    private readonly stream: PartnerStream,
    private readonly clock: Clock,
    private readonly directory: DirectoryChanges,
    private readonly testFarmers: TestFarmers,
  ) {}

  async execute({ partner, actor }: RegisterPartner): Promise<{ partner_id: string }> {
    const partner_id = randomUUID();
    const { company_name, account_type, mode } = partner;
    // Test farmers come first, so that no service has sandbox partners without them, even if this process dies in between.
    if (mode === 'sandbox') await this.testFarmers.register();
    const command = { kind: 'register' as const, partner_id, company_name, account_type, mode, at: this.clock.iso(), actor };
    await this.directory.waitFor(await this.stream.execute(partner_id, command, { mode }), {
      stream: `partner-${partner_id}`,
      readModel: 'partner',
      next: `The id of the partner is ${partner_id}; do not register it again.`,
    });
    return { partner_id };
  }
}
