/** `failed`: the other API may or may not have executed the call, so the caller does the work itself. */
export type PeerCallOutcome = 'executed' | 'failed';

/** The subject of a call. Each topic has one receiver in an API. */
export type PeerTopic = 'wallet_commands' | 'unshown_changes';
export const PEER_TOPICS: readonly PeerTopic[] = ['wallet_commands', 'unshown_changes'];

export type PeerReceiver = (message: unknown) => Promise<unknown>;

/** Sees the calls to other APIs; it must not throw. */
export interface PeerCallObserver {
  called(topic: PeerTopic, outcome: PeerCallOutcome): void;
}

/** Calls between the APIs of a deployment. An implementation never executes a call twice by itself. */
export abstract class PeerCalls {
  /** Lets the others call this one. */
  abstract start(): Promise<void>;

  /** Refuses calls from now on; calls in progress are still executed. */
  abstract leave(): Promise<void>;

  /** Waits for the calls in progress and closes all connections. */
  abstract stop(): Promise<void>;

  /** Returns the numbers of the other live APIs that can be called, as far as this one knows; it does not wait for PostgreSQL. */
  abstract others(): readonly number[];

  /** Sends a JSON value and returns the response. @throws Error if it may or may not have been received */
  abstract call(instance: number, topic: PeerTopic, message: unknown): Promise<unknown>;

  /** Sets what executes the calls of others about a topic. */
  abstract receive(topic: PeerTopic, receiver: PeerReceiver): void;
}

/** The calls of an API that has no others beside it. */
export class NoPeers extends PeerCalls {
  override start(): Promise<void> {
    return Promise.resolve();
  }

  override leave(): Promise<void> {
    return Promise.resolve();
  }

  override stop(): Promise<void> {
    return Promise.resolve();
  }

  override others(): readonly number[] {
    return [];
  }

  override call(instance: number): Promise<unknown> {
    return Promise.reject(new Error(`There is no API with the number ${instance}.`));
  }

  override receive(): void {
    // Nobody calls.
  }
}
