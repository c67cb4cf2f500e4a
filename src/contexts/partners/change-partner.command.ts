import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Section } from '../../kernel/section-names.js';
import { Clock } from '../../kernel/clock.js';
import { DirectoryChanges } from '../../platform/projecting/directory-changes.js';
import { PartnerStream } from './partner-stream.js';

export type PartnerChange =
  | { readonly kind: 'activate' }
  | { readonly kind: 'deactivate' }
  | { readonly kind: 'change-optional-sections'; readonly sections: readonly Section[] }
  | { readonly kind: 'change-ip-allow-list'; readonly cidrs: readonly string[] };

/**
 * Changes a partner, and completes once that is in force on every instance. Raises Rejection `partner_unknown`, or NotYetInForce if the
 * change is recorded, but not in force in time.
 */
export class ChangePartner extends Command<void> {
  constructor(
    readonly partnerId: string,
    readonly change: PartnerChange,
    readonly actor: string,
  ) {
    super();
  }
}

@CommandHandler(ChangePartner)
export class ChangePartnerHandler implements ICommandHandler<ChangePartner> {
  constructor(
    private readonly stream: PartnerStream,
    private readonly clock: Clock,
    private readonly directory: DirectoryChanges,
  ) {}

  async execute({ partnerId, change, actor }: ChangePartner): Promise<void> {
    const command = { ...change, partner_id: partnerId, at: this.clock.iso(), actor };
    await this.directory.waitFor(await this.stream.execute(partnerId, command), {
      stream: `partner-${partnerId}`,
      readModel: 'partner',
    });
  }
}
