import { AsyncLocalStorage } from 'node:async_hooks';

/** Data that is shared by everything that is done for one request. */
export interface RequestContext {
  /** The id in the response's X-Request-Id, in log lines and in the metadata of the resulting events. */
  readonly correlationId: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

export function inRequest<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** Returns the context of the current request; undefined outside of requests. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}
