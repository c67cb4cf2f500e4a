import { CONSENT_STREAMS } from '../../src/contexts/consents/domain/consent.js';
import { ADMIN_AUDIT_STREAMS } from '../../src/contexts/evidence/domain/admin-audit.js';
import { FARMER_STREAMS } from '../../src/contexts/farmers/domain/farmer.js';
import { API_KEY_STREAMS } from '../../src/contexts/partners/domain/api-key.js';
import { PARTNER_STREAMS } from '../../src/contexts/partners/domain/partner.js';
import { PRICE_BOOK_STREAMS } from '../../src/contexts/pricing/domain/price-book.js';
import { CONTRIBUTION_STREAMS } from '../../src/contexts/reports/domain/contribution.js';
import { WALLET_STREAMS } from '../../src/contexts/wallet/domain/wallet.js';
import { WEBHOOK_STREAMS } from '../../src/contexts/webhooks/domain/webhook.js';
import { type Dated, type DomainEvent } from '../../src/platform/event-sourcing/decider.js';
import { NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { SHORT_STREAM, type StreamKind } from '../../src/platform/event-sourcing/stream-kind.js';
import { type Head } from '../../src/platform/event-sourcing/writing/batch.js';
import { idsDecider } from '../../src/platform/ids/domain/reserve-ids.js';

/** The kinds of the streams that a demo log has, so that the service can continue them. */
export const KINDS = {
  partner: PARTNER_STREAMS,
  apiKey: API_KEY_STREAMS,
  wallet: WALLET_STREAMS,
  consent: CONSENT_STREAMS,
  farmer: FARMER_STREAMS,
  contribution: CONTRIBUTION_STREAMS,
  webhook: WEBHOOK_STREAMS,
  priceBook: PRICE_BOOK_STREAMS,
  ids: { ...SHORT_STREAM, category: 'ids', decider: idsDecider },
  adminAudit: ADMIN_AUDIT_STREAMS,
};

/** Returns the head of a stream that does not exist yet. */
export function emptyHead<State, Command extends Dated, Event extends DomainEvent>({
  decider,
}: StreamKind<State, Command, Event>): Head<State> {
  return { state: decider.initialState, revision: NO_EVENTS, hash: undefined };
}
