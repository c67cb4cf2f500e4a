/** A domain event. Its type is in the past tense; `data` is plain JSON in snake_case, with money in integer kobo. */
export interface DomainEvent {
  readonly type: string;
  readonly data: object;
}

/** An event with the revision that it has, or is about to get, in its stream. */
export type AtRevision<Event extends DomainEvent> = Event & { readonly revision: bigint };

/** A command with the date of its events, ISO 8601 in UTC. If the outcome of an append stays unknown, it is decided again with a later one. */
export interface Dated {
  readonly at: string;
}

/**
 * Pure decisions over one stream. `decide` throws a {@link Rejection} for a command that the state does not allow, and
 * returns no events when there is nothing to do.
 */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly initialState: State;
  decide(this: void, command: Command, state: State): readonly Event[];
  evolve(this: void, state: State, event: AtRevision<Event>): State;
}

/**
 * Thrown when a domain rule rejects a command; `facts` explain the rejection to the caller. Each context lists its codes in
 * the file of its decider and maps each of them to a status and a message in `rejection-responses.ts`.
 */
export class Rejection<Code extends string = string> extends Error {
  constructor(
    readonly code: Code,
    readonly facts: Readonly<Record<string, unknown>> = {},
  ) {
    super(code);
    this.name = 'Rejection';
  }
}
