import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Clock } from '../../../kernel/clock.js';
import { DirectoryChanges } from '../../../platform/projecting/in-memory/directory-changes.js';
import { PARTNER_STREAMS, type PartnerCommand } from '../domain/partner.js';
import { ReadModels } from '../../../platform/projecting/read-models.js';
import { IpAllowListDto, type OptionalSectionsDto, PartnerDetailsDto } from './partners.dto.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';

export type PartnerChange = 'activate' | 'deactivate' | OptionalSectionsDto | IpAllowListDto | PartnerDetailsDto;

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
    private readonly readModels: ReadModels,
  ) {}

  async execute({ partnerId, change, actor }: ChangePartner): Promise<void> {
    const command: PartnerCommand = { ...decidedBy(change), partner_id: partnerId, at: this.clock.iso(), actor };
    const committed = await this.streams.of(PARTNER_STREAMS).execute(partnerId, command);
    const stream = `partner-${partnerId}`;
    await this.directory.waitFor(committed, { stream, readModel: 'partner' });
    if (change instanceof PartnerDetailsDto) await this.readModels.waitUntilInForce(committed, { stream, readModel: 'customer' });
  }
}

function decidedBy(change: PartnerChange) {
  if (typeof change === 'string') return { kind: change };
  if (change instanceof IpAllowListDto) return { kind: 'change-ip-allow-list' as const, cidrs: change.cidrs };
  if (change instanceof PartnerDetailsDto)
    return { kind: 'change-details' as const, company_name: change.company_name, legal: change.legal };
  return { kind: 'change-optional-sections' as const, sections: [...new Set(change.sections)] };
}
