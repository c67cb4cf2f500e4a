/** What happened, in the past tense. `data` is plain JSON in snake_case; money is integer kobo. */
export interface DomainEvent {
  readonly type: string;
  readonly data: object;
}

/** An event at the place it has, or is about to get, in its stream. */
export type AtRevision<Event extends DomainEvent> = Event & { readonly revision: bigint };

/**
 * Pure decisions over one stream. `decide` throws a {@link Rejection} for a command that the state does not allow, and
 * answers no events where nothing is left to do.
 */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly initialState: State;
  decide(this: void, command: Command, state: State): readonly Event[];
  evolve(this: void, state: State, event: AtRevision<Event>): State;
}

/**
 * A domain rule said no; the facts explain it to the caller. Each context names its codes in
 * `domain/rejections.ts` (`Rejection<Code>` with them filled in) and gives each a status and a message in `rejection-responses.ts`.
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
