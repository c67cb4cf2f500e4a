import { expect } from '@jest/globals';
import { type Decider, type DomainEvent, Rejection } from '../../../src/platform/event-sourcing/decider.js';

/** Tests a decider as `given(decider, events).when(command).then(events)`, with strict equality. */
export function given<State, Command, Event extends DomainEvent>(decider: Decider<State, Command, Event>, events: readonly Event[]) {
  const state = events.reduce(
    (folded, event, index) => decider.evolve(folded, { ...event, revision: BigInt(index) }),
    decider.initialState,
  );
  return {
    state,
    when: (command: Command) => ({
      then: (expected: readonly Event[]) => {
        expect(decider.decide(command, state)).toStrictEqual(expected);
      },
      thenNothing: () => {
        expect(decider.decide(command, state)).toStrictEqual([]);
      },
      thenRejected: (code: string, facts?: object) => {
        let rejection: unknown;
        try {
          decider.decide(command, state);
        } catch (error) {
          rejection = error;
        }
        expect(rejection).toBeInstanceOf(Rejection);
        expect(rejection).toMatchObject({ code, ...(facts ? { facts } : {}) });
      },
    }),
  };
}
