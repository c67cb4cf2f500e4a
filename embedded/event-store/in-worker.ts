import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { type EventStoreOptions, type EventStoreServer } from './server.js';

export interface EventStoreThread extends EventStoreServer {
  /** Resolves with the exit code when the thread ends. */
  readonly exited: Promise<number>;
}

/** The event store in a thread of its own, so that neither keeps the other's event loop waiting. */
export async function startEventStoreInWorker(options: EventStoreOptions): Promise<EventStoreThread> {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: options });
  const exited = once(worker, 'exit').then(([code]) => code as number);
  const failed = once(worker, 'error').then(([error]) => Promise.reject(error as Error));
  failed.catch(() => undefined);
  const [{ port, connectionString }] = (await Promise.race([once(worker, 'message'), failed])) as [EventStoreServer];
  return {
    port,
    connectionString,
    exited,
    close: async () => {
      worker.postMessage('close');
      await exited;
    },
  };
}
