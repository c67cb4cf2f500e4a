import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type Settings } from '../settings.js';
import { type StoreAddresses } from '../stores.js';

/** What the projector's thread is started with. */
export interface ProjectorThreadData {
  readonly stores: StoreAddresses;
  readonly logLevel: Settings['logLevel'];
}

/** The projector in a thread of its own: the API's event loop never waits for a batch. */
export interface ProjectorThread {
  /** Resolves with a sentence if the thread ends by itself. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

export async function startProjectorThread(data: ProjectorThreadData): Promise<ProjectorThread> {
  const worker = new Worker(new URL('./projector.worker.js', import.meta.url), { workerData: data });
  const exited = once(worker, 'exit');
  let stopping = false;
  const failed = new Promise<string>((resolve) => {
    worker.on('error', (error: Error) => {
      resolve(`The projector failed: ${error.message}`);
    });
    void exited.then(() => {
      if (!stopping) resolve('The projector ended.');
    });
  });
  await Promise.race([once(worker, 'message'), failed.then((sentence) => Promise.reject(new Error(sentence)))]);
  return {
    failed,
    stop: async () => {
      stopping = true;
      worker.postMessage('stop');
      await exited;
    },
  };
}
