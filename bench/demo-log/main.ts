import { Command, CommanderError } from 'commander';
import 'reflect-metadata';
import { type OpenStores, withStores } from '../../src/app/command-line/with-stores.js';
import { createStoreClients } from '../../src/stores/store-clients.js';
import { type Settings } from '../../src/settings/declaration.js';
import { printError, printLine } from '../../src/cli/support/output.js';
import { progress } from '../../src/cli/support/progress.js';
import { wholeNumber } from '../../src/cli/support/values.js';
import { MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { recordMove } from '../../src/platform/log-moving/record-move.js';
import { type FilledLog, fillLog } from './fill-log.js';

/** Exit codes of `rupa`: 1 for a failure, 2 for wrong usage. */
const FAULT = 1;
const WRONG_USAGE = 2;
const MAX_EVENTS = 100_000_000;
const POOL_SIZE = 4;
/** Long enough that an event store which is slow with large appends on a busy machine does not count as stalled. */
const STALL_TIMEOUT_MS = 60_000;

interface Options {
  readonly events: number;
  readonly seed: number;
}

const command = new Command('npm run demo-log --')
  .description('Fill an empty log with a generated history, to try rebuilds, wallet verification and starts on a large log.')
  .option('--events <count>', 'smallest number of events to generate', wholeNumber(1, MAX_EVENTS), 100_000)
  .option('--seed <number>', 'seed of the random values; the same seed generates the same history', wholeNumber(0, 1_000_000), 1)
  .showHelpAfterError()
  .exitOverride()
  .action(async (options: Options) => {
    const { events, farmers, seconds } = await withStores((open) => fill(open, options), { create: true, check: refuseProduction });
    printLine(`${events} events, ${farmers} farmers, in ${seconds.toFixed(1)} s: ${Math.round(events / seconds)} events/s`);
  });

try {
  await command.parseAsync();
} catch (error) {
  if (error instanceof CommanderError) {
    process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
  } else {
    printError((error as Error).message);
    // The process exits explicitly, because a store that failed to start may leave timers that would keep it alive.
    process.exit(FAULT);
  }
}

function refuseProduction({ production }: Settings): void {
  if (production)
    throw new Error('A generated history does not belong in production. Unset NODE_ENV, and set the addresses of stores for tests.');
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
    // The event store has recorded a history of months within minutes, as if the log had been moved to it.
    await recordMove(eventStore, filled.events, new Date());
    return { ...filled, seconds: (performance.now() - began) / 1_000 };
  } finally {
    bar.stop();
    await close();
  }
}
