import { type MessagePort } from 'node:worker_threads';
import { type CollectedMetric, type Metrics } from './metrics.js';

/** Milliseconds after which a busy thread is left out of the scrape. */
const TIMEOUT_MS = 4_000;

interface Response {
  readonly id: number;
  readonly metrics: readonly CollectedMetric[];
}

/** Responds to requests from the port with this thread's metrics. The port does not keep the thread alive. */
export function serveMetricsOver(port: MessagePort, metrics: Metrics): void {
  port.on('message', (id: number) => {
    metrics.collect().then(
      (collected) => {
        port.postMessage({ id, metrics: collected } satisfies Response);
      },
      () => {
        port.postMessage({ id, metrics: [] } satisfies Response);
      },
    );
  });
  port.unref();
}

/** Returns a function that collects the metrics of the thread at the other end of the port; none if it does not respond in time. */
export function collectMetricsOver(port: MessagePort): () => Promise<readonly CollectedMetric[]> {
  const pending = new Map<number, (metrics: readonly CollectedMetric[]) => void>();
  let last = 0;
  port.on('message', ({ id, metrics }: Response) => {
    pending.get(id)?.(metrics);
  });
  port.unref();
  return async () => {
    last += 1;
    const id = last;
    const { promise, resolve } = Promise.withResolvers<readonly CollectedMetric[]>();
    pending.set(id, resolve);
    const timer = setTimeout(resolve, TIMEOUT_MS, []);
    port.postMessage(id);
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      pending.delete(id);
    }
  };
}
