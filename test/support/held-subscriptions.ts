import { once } from 'node:events';
import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';

/** An event store whose subscriptions do not begin yet. A subscriber that waits for one has already read its checkpoint. */
export interface HeldSubscriptions {
  readonly eventStore: EventStore;
  /** Resolves when the first subscription is asked for. */
  readonly asked: Promise<unknown>;
  /** Lets the subscriptions begin. */
  readonly release: () => void;
}

/** Use it where two subscribers must begin at the same checkpoint: on a busy machine, one started later would begin where the first has come to. */
export function holdSubscriptions(eventStore: EventStore): HeldSubscriptions {
  const [asking, releasing] = [new AbortController(), new AbortController()];
  const [asked, released] = [once(asking.signal, 'abort'), once(releasing.signal, 'abort')];
  const subscribe: EventStore['subscribe'] = async (after, size, signal) => {
    asking.abort();
    await released;
    return await eventStore.subscribe(after, size, signal);
  };
  return {
    eventStore: Object.create(eventStore, { subscribe: { value: subscribe } }) as EventStore,
    asked,
    release: () => {
      releasing.abort();
    },
  };
}
