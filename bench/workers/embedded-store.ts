import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { startEventStoreServer } from '../../embedded/event-store/serving/server.js';

// Runs the embedded event store in a process of its own, with or without its journal. It stops when the process that started it ends.
const { values } = parseArgs({ options: { 'data-dir': { type: 'string' }, 'without-journal': { type: 'boolean', default: false } } });
const { 'data-dir': dataDir, 'without-journal': withoutJournal } = values;
if (!dataDir) throw new Error('Usage: embedded-store.js --data-dir DIR [--without-journal]');
const stopRequested = Promise.race([once(process, 'SIGTERM'), once(process, 'SIGINT'), once(process.stdin.resume(), 'close')]);
const server = await startEventStoreServer({ dataDir, journal: !withoutJournal });
process.stdout.write(`${JSON.stringify({ connectionString: server.connectionString })}\n`);
await stopRequested;
await server.close();
process.exit(0);
