import { parentPort, workerData } from 'node:worker_threads';
import { type EventStoreOptions, startEventStoreServer } from './serving/server.js';

const server = await startEventStoreServer(workerData as EventStoreOptions);
parentPort?.postMessage({ port: server.port, connectionString: server.connectionString });
parentPort?.once('message', () => {
  // Interrupted calls may keep handles open. The log is closed, so the thread can exit regardless.
  void server.close().then(() => process.exit(0));
});
