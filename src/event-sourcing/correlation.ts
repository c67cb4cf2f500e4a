import { AsyncLocalStorage } from 'node:async_hooks';

const current = new AsyncLocalStorage<string>();

/** Whatever `work` has written carries this id, unless its command says otherwise. */
export function correlated<T>(correlationId: string, work: () => T): T {
  return current.run(correlationId, work);
}

export function currentCorrelationId(): string | undefined {
  return current.getStore();
}
