import { Command, CommanderError } from 'commander';
import dotenv from 'dotenv';
import 'reflect-metadata';
import { type OpenStores, withStores } from '../../src/app/command-line/with-stores.js';
import { createStoreClients } from '../../src/app/platform.js';
import { type Settings } from '../../src/app/settings/declaration.js';
import { complain, progress, say } from '../../src/cli/support/output.js';
import { wholeNumber } from '../../src/cli/support/values.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { type FilledLog, fillLog } from './fill-log.js';

/** The command fails with the exit codes of `rupa`: 1 for a fault, 2 for wrong usage. */
const FAULT = 1;
const WRONG_USAGE = 2;
const MAX_EVENTS = 100_000_000;
const POOL_SIZE = 4;
/** An event store that writes large appends on a busy machine is slow, but it does not stall. */
const STALL_TIMEOUT_MS = 60_000;

interface Options {
  readonly events: number;
  readonly seed: number;
}

dotenv.config({ quiet: true });

const command = new Command('npm run demo-log --')
  .description('Fill an empty log with a made-up history, to measure rebuild, verify and start on.')
  .option('--events <count>', 'at least how many', wholeNumber(1, MAX_EVENTS), 100_000)
  .option('--seed <number>', 'the same seed makes the same history', wholeNumber(0, 1_000_000), 1)
  .showHelpAfterError()
  .exitOverride()
  .action(async (options: Options) => {
    const { events, farmers, seconds } = await withStores((open) => fill(open, options), refuseProduction);
    say(`${events} events, ${farmers} farmers, in ${seconds.toFixed(1)} s: ${Math.round(events / seconds)} events/s`);
  });

try {
  await command.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
  } else {
    complain((error as Error).message);
    // A store that failed to start leaves timers behind that would keep the process alive.
    process.exit(FAULT);
  }
}

function refuseProduction({ production }: Settings): void {
  if (production)
    throw new Error('A made-up history does not belong in production: unset NODE_ENV and give stores that are for trying things on.');
}

async function fill({ stores, logger }: OpenStores, { events, seed }: Options): Promise<FilledLog & { seconds: number }> {
  const { pool, eventStore, close } = createStoreClients(stores, { poolSize: POOL_SIZE, logger, stallTimeoutMs: STALL_TIMEOUT_MS });
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
    await close();
  }
}
