import { parentPort, workerData } from 'node:worker_threads';
import { type EventStoreOptions, startEventStoreServer } from './server.js';

const server = await startEventStoreServer(workerData as EventStoreOptions);
parentPort?.postMessage({ port: server.port, connectionString: server.connectionString });
parentPort?.once('message', () => {
  // Broken-off calls may keep handles open; the log is closed, so the thread can end.
  void server.close().then(() => process.exit(0));
});
