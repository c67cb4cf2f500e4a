import { apiKeyDecider } from '../../api-keys/domain/api-key.js';
import { consentDecider } from '../../consents/domain/consent.js';
import { contributionDecider } from '../../contributions/domain/contribution.js';
import { type Head, SHORT_STREAM, type StreamKind } from '../../event-sourcing/batch.js';
import { type Decider, type DomainEvent } from '../../event-sourcing/decider.js';
import { NO_EVENTS } from '../../event-sourcing/event-store.js';
import { farmerDecider } from '../../farmers/domain/farmer.js';
import { idsDecider } from '../../ids/domain/ids.js';
import { partnerDecider } from '../../partners/domain/partner.js';
import { priceBookDecider } from '../../pricing/domain/price-book.js';
import { walletDecider } from '../../wallet/domain/wallet.js';
import { webhookDecider } from '../../webhooks/domain/webhook.js';

/** Categories and chaining are those of the services' own streams, which go on where a filled log ends. */
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
};

function kind<State, Command, Event extends DomainEvent>(category: string, decider: Decider<State, Command, Event>, chained = false): StreamKind<State, Command, Event> {
  return { ...SHORT_STREAM, category, decider, chained };
}

/** Of a stream that does not exist yet. */
export function beginning<State, Command, Event extends DomainEvent>({ decider }: StreamKind<State, Command, Event>): Head<State> {
  return { state: decider.initialState, revision: NO_EVENTS, hash: undefined };
}
