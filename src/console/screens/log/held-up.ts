/** Sentences about the calls that wait for a decision about an event, by its stream's category (docs/operations.md, "An event that cannot be used"). */
const HELD_UP: Readonly<Record<string, string>> = {
  wallet: 'Every call that needs the partner’s wallet gets 503: its lookups, its entries, credits and statements.',
  farmer: 'Lookups of this farmer and reports about the farmer get 503.',
  contribution: 'Lookups of the farmers whom the report was about get 503.',
  consent: 'Calls that need this consent get 503.',
  partner: 'Calls of this partner, and about it, get 503.',
  apikey: 'Calls with this key get 503.',
  webhook: 'Calls about this endpoint get 503.',
  pricebook: 'All lookups get 503, because a price that may have changed is not guessed.',
  priceschedule: 'All lookups get 503, because a price that may have changed is not guessed.',
};

/** Returns a sentence about the calls that are refused until the event is skipped. */
export function heldUpBy(category: string): string {
  return (Object.hasOwn(HELD_UP, category) ? HELD_UP[category] : undefined) ?? 'Calls that need this stream get 503.';
}
