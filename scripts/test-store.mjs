// `npm run test:store -- <url>` runs the tests of test/store on an event store of its own, such as an empty node of a version that you are
// about to upgrade to. The tests append thousands of events, which stay in its log, so a log that holds any event is refused.
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const [url, ...rest] = process.argv.slice(2);
if (url === undefined || rest.length > 0) {
  console.error('Name one event store with an empty log: npm run test:store -- "esdb://127.0.0.1:2113?tls=false"');
  process.exit(2);
}

const { createEventStore } = await import('../dist/src/stores/store-clients.js');
try {
  const eventStore = createEventStore(url);
  const newest = await eventStore.newestEvent();
  if (newest)
    throw new Error(
      `The log at ${url.replace(/\/\/[^/@]*@/, '//')} holds events (the newest is ${newest.stream}@${newest.revision}), and what the tests append would stay in it. Name an event store with an empty log.`,
    );
  console.log(`The event store reports the version ${(await eventStore.serverVersion()) || '(none)'}.`);
  await eventStore.close();
} catch (error) {
  console.error(error.message);
  process.exit(2);
}

const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--config=test/tiers/store.config.js'];
const tests = spawn('node', jest, { stdio: 'inherit', env: { ...process.env, STORE_URL: url } });
const [code] = await once(tests, 'exit');
process.exit(code ?? 1);
