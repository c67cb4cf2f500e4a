import { type StoredEvent } from '../recorded-event.js';
import { categoryOf } from '../stream-kind.js';

/** An event in one of the service's streams that this release cannot use (docs/adr/0030). */
export interface UnusableEvent {
  /** The event as it was read. Its data and metadata may be anything. */
  readonly event: StoredEvent;
  /** Why it cannot be used, as a clause without names or data. */
  readonly reason: string;
}

/** The reason of an event whose farmer's data key is missing. */
export const KEY_MISSING = 'the key store lacks the data key of its farmer: restore that key instead of skipping the event';

/** Tells an operator what to do about an event that was set aside, in sentences. */
export function remedyOf({ reason, position }: { readonly reason: string; readonly position: string }): string {
  const until = 'Calls that need its stream get a 503 until';
  return reason === KEY_MISSING
    ? `${until} you restore a key store that has the key, and start the service again (docs/operations.md, "Restore"). Do not skip the event: that is final.`
    : `Find out what wrote it. ${until} you run: rupa events skip ${position} --reason …`;
}

/** The read models that are all that a category’s streams lead to. A price that may have changed is not guessed. */
const READ_MODELS: Readonly<Record<string, string>> = { pricebook: 'price_book', priceschedule: 'price_book' };

/** A call needs rows or a state that an event may have changed which cannot be used. The call is refused until an operator has decided on the event. */
export class EventSetAside extends Error {
  override name = 'EventSetAside';

  /** @param place category of the stream and position in the log; the stream's name may be a Rupa ID, and is left out */
  constructor(
    readonly place: { readonly category: string; readonly position: string },
    needed: string,
  ) {
    super(
      `This call needs ${needed}, and the event at position ${place.position} of the log (category ${place.category}) cannot be used. An operator has to decide on it: rupa doctor says what to do`,
    );
  }

  /** The read model that the call cannot use; undefined if the streams of the category lead to several. */
  get readModel(): string | undefined {
    return READ_MODELS[this.place.category];
  }

  static of({ event: { stream, position } }: UnusableEvent): EventSetAside {
    return new EventSetAside(
      { category: categoryOf(stream), position: position.toString() },
      `a stream of the category ${categoryOf(stream)}`,
    );
  }
}
