import { parentPort, workerData } from 'node:worker_threads';
import { type EventStoreOptions, startEventStoreServer } from './server.js';

const server = await startEventStoreServer(workerData as EventStoreOptions);
parentPort?.postMessage({ port: server.port, connectionString: server.connectionString });
parentPort?.once('message', () => {
  void server.close().then(() => parentPort?.close());
});
