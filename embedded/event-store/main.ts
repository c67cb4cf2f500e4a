import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { startEventStoreServer } from './server.js';

// A process of its own, for tests that stop or kill it. It ends with whoever started it.
const { values } = parseArgs({ options: { 'data-dir': { type: 'string' }, port: { type: 'string', default: '0' } } });
const dataDir = values['data-dir'];
if (!dataDir) throw new Error('Usage: main.js --data-dir DIR [--port N]');
const server = await startEventStoreServer({ dataDir, port: Number(values.port) });
process.stdout.write(`${JSON.stringify({ port: server.port, connectionString: server.connectionString })}\n`);
process.stdin.resume();
await Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT'), once(process.stdin, 'end')]);
await server.close();
process.exit(0);
