import type grpc from '@grpc/grpc-js';

/** A call that ends with this status. What EventStoreDB does, and this server does not, is refused with UNIMPLEMENTED. */
export class RefusedCall extends Error {
  override name = 'RefusedCall';

  /** @param message says what is wrong and what to do; at most ASCII, because it travels in a trailer */
  constructor(
    readonly code: grpc.status,
    message: string,
  ) {
    super(message);
  }
}

/** The stream was ended for good. */
export class TombstonedStream extends Error {
  override name = 'TombstonedStream';

  constructor(readonly stream: string) {
    super(`Event stream '${stream}' is deleted.`);
  }
}
