import { once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { type Collected } from '../../platform/metrics/metrics.js';
import { askOver } from '../../platform/metrics/thread-port.js';
import { type Role } from '../settings/roles.js';
import { type Settings } from '../settings/declaration.js';
import { type StoreAddresses } from '../stores.js';

/** What the thread is started with. */
export interface BackgroundThreadData extends BackgroundThreadOptions {
  /** Asks what it has counted. */
  readonly metricsPort: MessagePort;
}

export interface BackgroundThreadOptions {
  readonly stores: StoreAddresses;
  readonly settings: Settings;
  /** Which of `projector` and `webhooks` it is to do. */
  readonly roles: readonly Role[];
}

/** Projector and webhooks in a thread of their own: the API's event loop never waits for a batch. */
export interface BackgroundThread {
  /** Resolves with a sentence if the thread ends by itself. */
  readonly failed: Promise<string>;
  /** What it has counted. */
  metrics(this: void): Promise<readonly Collected[]>;
  stop(): Promise<void>;
}

/** @param signal aborted where the start is to be given up. @throws Error with why the thread did not come up */
export async function startBackgroundThread(options: BackgroundThreadOptions, signal?: AbortSignal): Promise<BackgroundThread> {
  const { port1, port2 } = new MessageChannel();
  const workerData: BackgroundThreadData = { ...options, metricsPort: port2 };
  const worker = new Worker(new URL('./background.worker.js', import.meta.url), { workerData, transferList: [port2] });
  // Not events.once: that one rejects where the thread throws, and whoever waits for its end would fail as well.
  const exited = new Promise<void>((resolve) =>
    worker.once('exit', () => {
      resolve();
    }),
  );
  let stopping = false;
  const failed = new Promise<string>((resolve) => {
    worker.on('error', (error: Error) => {
      resolve(`The background thread failed: ${error.message}`);
    });
    void exited.then(() => {
      if (!stopping) resolve('The background thread ended.');
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
    metrics: askOver(port1),
    stop: async () => {
      stopping = true;
      worker.postMessage('stop');
      await exited;
    },
  };
}
