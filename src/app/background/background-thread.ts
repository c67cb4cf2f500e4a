import { once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { withReason } from '../../platform/database/database-outage.js';
import { type CollectedMetric } from '../../platform/metrics/metrics.js';
import { collectMetricsOver } from '../../platform/metrics/thread-port.js';
import { type Role } from '../../settings/types.js';
import { type Settings } from '../../settings/declaration.js';
import { type StoreAddresses } from '../../stores/stores.js';

/** The worker data of the thread. */
export interface BackgroundThreadData extends BackgroundThreadOptions {
  /** The main thread requests the thread's metrics over this port. */
  readonly metricsPort: MessagePort;
}

export interface BackgroundThreadOptions {
  readonly stores: StoreAddresses;
  readonly settings: Settings;
  /** The roles that the thread runs: `projector`, `webhooks` or both. */
  readonly roles: readonly Role[];
}

/** The thread that runs the projector and the webhooks, so that a batch never blocks the event loop of the API. */
export interface BackgroundThread {
  /** Resolves with the reason, as a sentence, if the thread ends without having been stopped. */
  readonly failed: Promise<string>;
  /** Collects the metrics of the thread. */
  metrics(this: void): Promise<readonly CollectedMetric[]>;
  stop(): Promise<void>;
}

/**
 * Starts the thread and waits until its roles run.
 * @param signal abort it to give up the start
 * @throws Error with the reason if the thread does not start
 */
export async function startBackgroundThread(options: BackgroundThreadOptions, signal?: AbortSignal): Promise<BackgroundThread> {
  const { port1, port2 } = new MessageChannel();
  const workerData: BackgroundThreadData = { ...options, metricsPort: port2 };
  const worker = new Worker(new URL('./background.worker.js', import.meta.url), { workerData, transferList: [port2] });
  // events.once would reject when the thread throws, and stop() would then fail as well.
  const exited = new Promise<void>((resolve) =>
    worker.once('exit', () => {
      resolve();
    }),
  );
  let stopping = false;
  const failed = new Promise<string>((resolve) => {
    worker.on('error', (error: Error) => {
      resolve(`The background thread failed: ${withReason(error)}`);
    });
    void exited.then(() => {
      if (!stopping) resolve('The background thread ended unexpectedly.');
    });
  });
  const giveUp = (): void => {
    worker.postMessage('stop');
  };
  signal?.addEventListener('abort', giveUp);
  if (signal?.aborted) giveUp();
  try {
    await Promise.race([once(worker, 'message'), failed.then((sentence) => Promise.reject(new Error(sentence)))]);
  } finally {
    signal?.removeEventListener('abort', giveUp);
  }
  return {
    failed,
    metrics: collectMetricsOver(port1),
    stop: async () => {
      stopping = true;
      worker.postMessage('stop');
      await exited;
    },
  };
}
