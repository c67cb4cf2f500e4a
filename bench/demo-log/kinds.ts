import { adminAuditDecider } from '../../src/contexts/evidence/domain/admin-audit.js';
import { apiKeyDecider } from '../../src/contexts/partners/domain/api-key.js';
import { consentDecider } from '../../src/contexts/consents/domain/consent.js';
import { contributionDecider } from '../../src/contexts/reports/domain/contribution.js';
import { type Head, SHORT_STREAM, type StreamKind } from '../../src/platform/event-sourcing/writing/batch.js';
import { type Decider, type DomainEvent } from '../../src/platform/event-sourcing/decider.js';
import { NO_EVENTS } from '../../src/platform/event-sourcing/event-store.js';
import { farmerDecider } from '../../src/contexts/farmers/domain/farmer.js';
import { idsDecider } from '../../src/platform/ids/domain/reserve-ids.js';
import { partnerDecider } from '../../src/contexts/partners/domain/partner.js';
import { priceBookDecider } from '../../src/contexts/pricing/domain/price-book.js';
import { walletDecider } from '../../src/contexts/wallet/domain/wallet.js';
import { webhookDecider } from '../../src/contexts/webhooks/domain/webhook.js';

/** The kinds of streams, with the categories and the chaining of the service's own streams, so that the service can continue them. */
export const KINDS = {
  partner: kind('partner', partnerDecider),
  apiKey: kind('apikey', apiKeyDecider),
  wallet: kind('wallet', walletDecider, true),
  consent: kind('consent', consentDecider),
  farmer: kind('farmer', farmerDecider),
  contribution: kind('contribution', contributionDecider),
  webhook: kind('webhook', webhookDecider),
  priceBook: kind('pricebook', priceBookDecider),
  ids: kind('ids', idsDecider),
  adminAudit: kind('admin_audit', adminAuditDecider),
};

function kind<State, Command, Event extends DomainEvent>(
  category: string,
  decider: Decider<State, Command, Event>,
  chained = false,
): StreamKind<State, Command, Event> {
  return { ...SHORT_STREAM, category, decider, chained };
}

/** Returns the head of a stream that does not exist yet. */
export function emptyHead<State, Command, Event extends DomainEvent>({ decider }: StreamKind<State, Command, Event>): Head<State> {
  return { state: decider.initialState, revision: NO_EVENTS, hash: undefined };
}
