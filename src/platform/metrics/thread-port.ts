import { type MessagePort } from 'node:worker_threads';
import { type Collected, type Metrics } from './metrics.js';

/** A thread that is busy for longer is left out of the scrape. */
const PATIENCE_MS = 4_000;

interface Answer {
  readonly id: number;
  readonly metrics: readonly Collected[];
}

/** Answers the other end's questions for what this thread has counted, and keeps no thread alive. */
export function respondOver(port: MessagePort, metrics: Metrics): void {
  port.on('message', (id: number) => {
    metrics.collect().then(
      (collected) => {
        port.postMessage({ id, metrics: collected } satisfies Answer);
      },
      () => {
        port.postMessage({ id, metrics: [] } satisfies Answer);
      },
    );
  });
  port.unref();
}

/** Asks the thread at the other end; nothing where it does not answer in time. */
export function askOver(port: MessagePort): () => Promise<readonly Collected[]> {
  const asked = new Map<number, (metrics: readonly Collected[]) => void>();
  let last = 0;
  port.on('message', ({ id, metrics }: Answer) => {
    asked.get(id)?.(metrics);
  });
  port.unref();
  return async () => {
    last += 1;
    const id = last;
    const { promise, resolve } = Promise.withResolvers<readonly Collected[]>();
    asked.set(id, resolve);
    const timer = setTimeout(resolve, PATIENCE_MS, []);
    port.postMessage(id);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      asked.delete(id);
    }
  };
}
