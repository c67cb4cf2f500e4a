import { type StoredEvent } from '../recorded-event.js';
import { categoryOf } from '../stream-kind.js';

/** An event in one of the service's streams that this release cannot use (docs/adr/0030). */
export interface UnusableEvent {
  /** The event as it was read. Its data and metadata may be anything. */
  readonly event: StoredEvent;
  /** Why it cannot be used, as a clause without names or data. */
  readonly reason: string;
}

/** A call needs rows or a state that an event may have changed which cannot be used. The call is refused until an operator skips the event. */
export class EventSetAside extends Error {
  override name = 'EventSetAside';

  /** @param place category of the stream and position in the log; the stream's name may be a Rupa ID, and is left out */
  constructor(
    readonly place: { readonly category: string; readonly position: string },
    needed: string,
  ) {
    super(
      `This call needs ${needed}, and the event at position ${place.position} of the log (category ${place.category}) cannot be used. An operator has to decide on it: rupa events skip`,
    );
  }

  static of({ event: { stream, position } }: UnusableEvent): EventSetAside {
    return new EventSetAside(
      { category: categoryOf(stream), position: position.toString() },
      `a stream of the category ${categoryOf(stream)}`,
    );
  }
}
