import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../../../kernel/clock.js';
import { DirectoryChanges } from '../../../platform/projecting/in-memory/directory-changes.js';
import { PARTNER_STREAMS, type PartnerCommand } from '../domain/partner.js';
import { IpAllowListDto, type OptionalSectionsDto } from './partners.dto.js';
import { Streams } from '../../../platform/event-sourcing/writing/streams.js';

export type PartnerChange = 'activate' | 'deactivate' | OptionalSectionsDto | IpAllowListDto;

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
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly directory: DirectoryChanges,
  ) {}

  async execute({ partnerId, change, actor }: ChangePartner): Promise<void> {
    const command: PartnerCommand = { ...decidedBy(change), partner_id: partnerId, at: this.clock.iso(), actor };
    await this.directory.waitFor(await this.streams.of(PARTNER_STREAMS).execute(partnerId, command), {
      stream: `partner-${partnerId}`,
      readModel: 'partner',
    });
  }
}

function decidedBy(change: PartnerChange) {
  if (typeof change === 'string') return { kind: change };
  if (change instanceof IpAllowListDto) return { kind: 'change-ip-allow-list' as const, cidrs: change.cidrs };
  return { kind: 'change-optional-sections' as const, sections: [...new Set(change.sections)] };
}
