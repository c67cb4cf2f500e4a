import { Inject, Injectable } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { type Logger } from 'pino';
import { LOGGER } from '../../../platform/injection-tokens.js';
import { Charges } from '../../wallet/public.js';
import { type ListCounts } from './list-payload.js';
import { type LookUpResult } from './look-up.command.js';

const counted = new WeakMap<FastifyReply, ListCounts>();

/** Returns how many lookups of a list had each outcome; undefined for the response of any other call. */
export function countsOf(reply: FastifyReply): ListCounts | undefined {
  return counted.get(reply);
}

/** Sends the responses of lookups, and closes their charges by what becomes of them. */
@Injectable()
export class LookupResponses {
  constructor(
    private readonly charges: Charges,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async send(reply: FastifyReply, partnerId: string, found: LookUpResult): Promise<void> {
    if (found.counts) counted.set(reply, found.counts);
    if (found.kind === 'replayed') reply.header('Idempotent-Replayed', 'true');
    else if (found.lookup_ids.length > 0) this.closeCharges(reply, partnerId, found.lookup_ids, found.stored);
    await reply.type('application/json; charset=utf-8').send(found.payload);
  }

  /** Closes the charges when the connection of the response closes: only then is it known whether the service has sent the response. */
  private closeCharges(reply: FastifyReply, partnerId: string, lookupIds: readonly string[], stored: boolean): void {
    const close = (): void => {
      const response = stored ? 'stored' : reply.raw.statusCode === 200 ? 'sent' : 'failed';
      this.charges.close(partnerId, lookupIds, response).catch((error: unknown) => {
        this.logger.warn(
          { lookup_ids: lookupIds, reason: String(error) },
          'charges could not be settled or refunded; the sweep of stale charges will do it',
        );
      });
    };
    // If the partner disconnected before the charges were made, the close event has already fired.
    if (reply.raw.closed) close();
    else reply.raw.once('close', close);
  }
}
