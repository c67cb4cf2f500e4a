/**
 * How long an event store may take for one response. A test that waits for ever stops the whole run, and says nothing. A busy machine takes
 * many seconds for an append of thousands of events.
 */
const LIMIT_MS = 150_000 * Math.max(1, Number(process.env.TEST_PATIENCE ?? 1));

/** Waits for a response, and fails with what was waited for. @param what such as `the response to appendToStream("s-1")` */
export async function inTime<T>(what: string, response: Promise<T>, limitMs = LIMIT_MS): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    reject(new Error(`The event store did not send ${what} within ${limitMs / 1_000} s.`));
  }, limitMs);
  // A test that has failed for another reason must not keep its process.
  timer.unref();
  try {
    return await Promise.race([response, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Iterates over a read, and fails if its next event, or its end, does not come in time. */
export async function* eachInTime<T>(read: AsyncIterable<T>, limitMs = LIMIT_MS): AsyncGenerator<T> {
  const iterator = read[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await inTime('the next event of a read', iterator.next(), limitMs);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // A read that is late does not end either, so its end is not waited for.
    void iterator.return?.().catch(() => undefined);
  }
}
