import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { consentRosterProjection } from '../../../projections/consent-roster/consent-roster.projection.js';
import { partnerProjection } from '../../../projections/partner/partner.projection.js';
import { type PartnerContext } from '../../http/authenticating/partner-context.js';
import { Clock } from '../../kernel/clock.js';
import { Streams } from '../../platform/event-sourcing/writing/stream-writer.js';
import { DirectoryChanges } from '../../platform/projecting/in-memory/directory-changes.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { TEST_FARMERS } from '../farmers/public.js';
import { PARTNER_STREAMS } from './domain/partner.js';

/**
 * Begins another test run of a sandbox account: what it did with test farmers before is shown no more, and frees its references. Completes
 * once every instance works in the new run. Raises NotYetInForce if the reset is recorded, but not in force in time.
 */
export class ResetSandbox extends Command<void> {
  constructor(readonly partner: Pick<PartnerContext, 'partner_id' | 'key_id' | 'mode'>) {
    super();
  }
}

@CommandHandler(ResetSandbox)
export class ResetSandboxHandler implements ICommandHandler<ResetSandbox> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly directory: DirectoryChanges,
    private readonly readModels: ReadModels,
  ) {}

  async execute({ partner: { partner_id, key_id, mode } }: ResetSandbox): Promise<void> {
    const rupa_ids = TEST_FARMERS.map(({ rupa_id }) => rupa_id);
    const command = { kind: 'reset-sandbox' as const, partner_id, rupa_ids, at: this.clock.iso(), actor: `key:${key_id}` };
    const committed = await this.streams.of(PARTNER_STREAMS).execute(partner_id, command, { mode });
    const stream = `partner-${partner_id}`;
    await this.directory.waitFor(committed, { stream, readModel: partnerProjection.name });
    await this.readModels.waitUntilInForce(committed, { stream, readModel: consentRosterProjection.name });
  }
}
