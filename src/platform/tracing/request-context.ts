import { AsyncLocalStorage } from 'node:async_hooks';

/** A call of the HTTP interface. Work for it may go on when it has ended. */
export class Call {
  private hasEnded = false;
  private readonly listeners = new Set<() => void>();

  /** @param caller whom the call's share of a resource is counted for */
  constructor(readonly caller: string) {}

  get ended(): boolean {
    return this.hasEnded;
  }

  /** Calls the listener when the call ends. Returns a function that removes the listener. */
  onEnd(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Notes that the call has its response, or that its caller is gone. */
  end(): void {
    this.hasEnded = true;
    for (const listener of this.listeners) listener();
    this.listeners.clear();
  }
}

/** Data that is shared by everything that is done for one request. */
export interface RequestContext {
  /** The id in the response's X-Request-Id, in log lines and in the metadata of the resulting events. */
  readonly correlationId: string;
  /** Name of the machine on which a command of the command line runs; undefined for a call of the HTTP interface. */
  readonly host?: string;
  /** Undefined while the call is authenticated, and for a command of the command line. */
  readonly call?: Call;
}

const storage = new AsyncLocalStorage<RequestContext>();

export function inRequest<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** Returns the context of the current request; undefined outside of requests. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore();
}
