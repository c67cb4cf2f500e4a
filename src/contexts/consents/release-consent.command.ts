import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Pool } from 'pg';
import { type RupaId } from '../../http/validating/validation.js';
import { consentRosterProjection } from '../../../projections/consent-roster/consent-roster.projection.js';
import { grantedRevision } from '../../../projections/consent-roster/consent-roster.reader.js';
import { Clock } from '../../kernel/clock.js';
import { RowMacs } from '../../platform/projecting/row-macs.js';
import { ReadModels } from '../../platform/projecting/read-models.js';
import { FREE_CALLS_POOL } from '../../platform/injection-tokens.js';
import { CONSENT_STREAMS, ConsentRejection } from './domain/consent.js';
import { walletStreamOf } from '../wallet/domain/events.js';
import { Streams } from '../../platform/event-sourcing/writing/stream-writer.js';

/** Releases a farmer from the roster (interface, section 4.5). Raises Rejection `consent_unknown` if the farmer is not on it, and NotYetInForce. */
export class ReleaseFarmer extends Command<void> {
  constructor(
    readonly partner: { readonly partner_id: string; readonly key_id: string; readonly mode: 'live' | 'sandbox' },
    readonly rupaId: RupaId,
  ) {
    super();
  }
}

@CommandHandler(ReleaseFarmer)
export class ReleaseFarmerHandler implements ICommandHandler<ReleaseFarmer> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly readModels: ReadModels,
    @Inject(FREE_CALLS_POOL) private readonly pool: Pool,
    private readonly macs: RowMacs,
  ) {}

  async execute({ partner: { partner_id, key_id, mode }, rupaId: rupa_id }: ReleaseFarmer): Promise<void> {
    await this.readModels.waitForStream(walletStreamOf(partner_id), [consentRosterProjection]);
    const granted_revision = await grantedRevision(this.pool, this.macs, partner_id, rupa_id);
    if (granted_revision === undefined) throw new ConsentRejection('consent_unknown');
    const command = { partner_id, rupa_id, granted_revision, at: this.clock.iso(), actor: `key:${key_id}` };
    const name = `${partner_id}-${rupa_id}`;
    await this.readModels.waitUntilInForce(await this.streams.of(CONSENT_STREAMS).execute(name, command, { mode }), {
      stream: `consent-${name}`,
      readModel: consentRosterProjection.name,
      next: 'Do not release the farmer again; the list of consents shows whether it has taken effect.',
    });
  }
}
