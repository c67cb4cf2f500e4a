import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Role, type Settings } from '../settings.js';
import { type StoreAddresses } from '../stores.js';

/** What the thread is started with. */
export interface BackgroundThreadData {
  readonly stores: StoreAddresses;
  readonly settings: Settings;
  /** Which of `projector` and `webhooks` it is to do. */
  readonly roles: readonly Role[];
}

/** Projector and webhooks in a thread of their own: the API's event loop never waits for a batch. */
export interface BackgroundThread {
  /** Resolves with a sentence if the thread ends by itself. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

/** @param signal aborted where the start is to be given up. @throws Error with why the thread did not come up */
export async function startBackgroundThread(data: BackgroundThreadData, signal?: AbortSignal): Promise<BackgroundThread> {
  const worker = new Worker(new URL('./background.worker.js', import.meta.url), { workerData: data });
  const exited = once(worker, 'exit');
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
    stop: async () => {
      stopping = true;
      worker.postMessage('stop');
      await exited;
    },
  };
}
