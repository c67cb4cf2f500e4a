import { Worker } from 'node:worker_threads';
import { type EventStoreOptions, type EventStoreServer } from './server.js';

export interface EventStoreThread extends EventStoreServer {
  /** Resolves with the exit code when the thread ends, whether it was closed or died. */
  readonly exited: Promise<number>;
}

type Address = Pick<EventStoreServer, 'port' | 'connectionString'>;

/** The event store in a thread of its own, so that neither keeps the other's event loop waiting. @throws Error as the server does. */
export async function startEventStoreInWorker(options: EventStoreOptions): Promise<EventStoreThread> {
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData: options });
  const exited = new Promise<number>((resolve) => worker.once('exit', resolve));
  const address = await new Promise<Address>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    void exited.then((code) => {
      reject(new Error(`The event store's thread ended (${code}) before it served.`));
    });
  });
  // The exit code tells that it died; this tells why.
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
