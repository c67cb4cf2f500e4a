import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { startEventStoreServer } from './serving/server.js';

// Runs the event store in a process of its own, for tests that stop or kill it. It stops when the process that started it ends.
const { values } = parseArgs({ options: { 'data-dir': { type: 'string' }, port: { type: 'string', default: '0' } } });
const dataDir = values['data-dir'];
if (!dataDir) throw new Error('Usage: main.js --data-dir DIR [--port N]');
const stopRequested = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT'), once(process.stdin.resume(), 'close')]);
const server = await startEventStoreServer({ dataDir, port: Number(values.port) });
process.stdout.write(`${JSON.stringify({ connectionString: server.connectionString, port: server.port })}\n`);
await stopRequested;
await server.close();
process.exit(0);
