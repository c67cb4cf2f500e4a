/** What happened, in the past tense. `data` is plain JSON in snake_case; money is integer kobo. */
export interface DomainEvent {
  readonly type: string;
  readonly data: object;
}

/** An event at the place it has, or is about to get, in its stream. */
export type Placed<Event extends DomainEvent> = Event & { readonly revision: bigint };

/**
 * Pure decisions over one stream. `decide` throws a {@link Refusal} for a command that the state does not allow, and
 * answers no events where nothing is left to do.
 */
export interface Decider<State, Command, Event extends DomainEvent> {
  readonly initialState: State;
  decide(this: void, command: Command, state: State): readonly Event[];
  evolve(this: void, state: State, event: Placed<Event>): State;
}

/** Codes are stable: `src/http/refusals.ts` gives each its status and message. */
export type RefusalCode =
  | 'insufficient_balance'
  | 'partner_unknown'
  | 'api_key_unknown'
  | 'farmer_unknown'
  | 'farmer_erased'
  | 'farmer_mode_fixed'
  | 'consent_unknown'
  | 'webhook_unknown'
  | 'delivery_unknown'
  | 'reference_reused'
  | 'credit_history_moved'
  | 'balance_limit';

/** A command that the state does not allow, with the facts that explain it to the caller. */
export class Refusal extends Error {
  constructor(
    readonly code: RefusalCode,
    readonly facts: Readonly<Record<string, unknown>> = {},
  ) {
    super(code);
    this.name = 'Refusal';
  }
}
