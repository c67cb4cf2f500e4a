import { AsyncLocalStorage } from 'node:async_hooks';

/** What all that is done for one request has in common. */
export interface RequestContext {
  /** Of the answer's X-Request-Id, of log lines, and of the metadata of the events that come of it. */
  readonly correlationId: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

export function inRequest<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** undefined where no request is being answered. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}
