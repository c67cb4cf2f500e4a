import { type Command } from 'commander';
import { createPool } from '../platform/database/pool.js';
import { type FilledLog, fillLog } from '../../bench/demo-log/fill-log.js';
import { EventStore } from '../platform/event-sourcing/event-store.js';
import { MasterKeys } from '../platform/key-store/master-keys.js';
import { type Settings } from '../app/settings.js';
import { wholeNumber } from './demo.js';
import { progress, say } from './output.js';
import { type OpenStores, withStores } from './with-app.js';

const MAX_EVENTS = 100_000_000;
const POOL_SIZE = 4;
/** A store that is busy with large appends on a busy machine is not one that stalls. */
const STALL_TIMEOUT_MS = 60_000;

interface Options {
  readonly events: number;
  readonly seed: number;
}

export function demoLog(program: Command): void {
  program
    .command('demo-log')
    .description('fill an empty log with a made-up history, to measure rebuild, verify and start on')
    .option('--events <count>', 'at least how many', wholeNumber(1, MAX_EVENTS), 100_000)
    .option('--seed <number>', 'the same seed makes the same history', wholeNumber(0, 1_000_000), 1)
    .action(async (options: Options) => {
      const { events, farmers, seconds } = await withStores((open) => fill(open, options), refuseProduction);
      say(`${events} events, ${farmers} farmers, in ${seconds.toFixed(1)} s: ${Math.round(events / seconds)} events/s`);
    });
}

function refuseProduction({ production }: Settings): void {
  if (production)
    throw new Error('A made-up history does not belong in production: unset NODE_ENV and give stores that are for trying things on.');
}

async function fill({ stores, logger }: OpenStores, { events, seed }: Options): Promise<FilledLog & { seconds: number }> {
  const warn = (message: string): void => {
    logger.warn(message);
  };
  const pool = createPool(stores.databaseUrl, POOL_SIZE, ({ message }) => {
    warn(message);
  });
  const eventStore = new EventStore(stores.eventStoreUrl, { stallTimeoutMs: STALL_TIMEOUT_MS, onWarning: warn });
  const bar = progress('Events', events);
  const began = performance.now();
  try {
    const filled = await fillLog({
      events,
      seed,
      eventStore,
      pool,
      masterKeys: MasterKeys.parse(stores.masterKey),
      onProgress: (count) => {
        bar.advance(count);
      },
    });
    return { ...filled, seconds: (performance.now() - began) / 1_000 };
  } finally {
    bar.stop();
    await eventStore.close();
    await pool.end();
  }
}
