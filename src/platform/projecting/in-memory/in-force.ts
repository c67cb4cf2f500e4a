import { type CommandResult } from '../../event-sourcing/writing/batch.js';
import { type DomainEvent } from '../../event-sourcing/decider.js';
import { type EventStore } from '../../event-sourcing/event-store.js';
import { type ReadModelListener } from './read-model-listener.js';

/** Milliseconds that the response to a change waits at most for the read models. */
export const SHOWN_TIMEOUT_MS = 10_000;

export const REPEAT = 'Send the same request again to check that.';

export interface Change {
  /** The stream whose last event is the change. */
  readonly stream: string;
  /** The name of the read model that shows the change. */
  readonly readModel: string;
  /** Tells the caller in a sentence how to go on if the change is not in force in time; by default, to repeat the request. */
  readonly next?: string;
}

interface Parts {
  readonly eventStore: EventStore;
  readonly listener: ReadModelListener;
}

/**
 * Waits until the read model shows the last event of the stream. A repeated command, which appends nothing, waits as well. Returns false if
 * the stream has no event.
 * @throws NotYetInForce if the read model does not show it in time
 */
export async function untilShown(
  { eventStore, listener }: Parts,
  { position }: Pick<CommandResult<unknown, DomainEvent>, 'position'>,
  { stream, readModel, next = REPEAT }: Change,
): Promise<boolean> {
  const shown = position ?? (await eventStore.lastEvent(stream))?.position;
  if (shown === undefined) return false;
  if (!(await listener.waitFor(shown, SHOWN_TIMEOUT_MS, [readModel])))
    throw new NotYetInForce(`The read model ${readModel} does not show it yet.`, next, { readModel });
  return true;
}

/** Turns every failure after the append into the statement that the change is recorded. */
export async function orNotYetInForce(next: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof NotYetInForce ? error : new NotYetInForce('A store does not respond.', next, { cause: error });
  }
}

/** A change of partners, API keys or prices is recorded, but instances may go on using the state before it. */
export class NotYetInForce extends Error {
  override name = 'NotYetInForce';
  /** The read model that does not show the change; undefined if another reason prevents it. */
  readonly readModel: string | undefined;

  /**
   * @param reason says in a sentence what prevents it
   * @param next says in a sentence what the caller can do
   */
  constructor(reason: string, next: string, { readModel, ...options }: ErrorOptions & { readonly readModel?: string } = {}) {
    super(
      `The change is recorded, but not yet in force. ${reason} It takes effect as soon as the read models have caught up. ${next}`,
      options,
    );
    this.readModel = readModel;
  }
}
