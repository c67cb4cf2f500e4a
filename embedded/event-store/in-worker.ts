import { Worker } from 'node:worker_threads';
import { type EventStoreOptions, type EventStoreServer } from './serving/server.js';

export interface EventStoreThread extends EventStoreServer {
  /** Resolves with the exit code when the thread ends, whether it was closed or died. */
  readonly exited: Promise<number>;
}

type Address = Pick<EventStoreServer, 'port' | 'connectionString'>;

/**
 * Starts the event store in a worker thread, so that the service and the event store do not block each other's event loop.
 * @throws Error when the folder or the port is in use.
 */
export async function startEventStoreInWorker(options: EventStoreOptions): Promise<EventStoreThread> {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: options });
  const exited = new Promise<number>((resolve) => worker.once('exit', resolve));
  const address = await new Promise<Address>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    void exited.then((code) => {
      reject(new Error(`The event store's thread ended with code ${code} before it accepted connections.`));
    });
  });
  // The exit code shows that the thread died; this message says why.
  worker.on('error', (error) =>
    process.stderr.write(`The event store died: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`),
  );
  return {
    ...address,
    exited,
    close: async () => {
      worker.postMessage('close');
      await exited;
    },
  };
}
