import { setTimeout as delay } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type CheckpointMaker } from './checkpoint-maker.js';
import { type CheckpointParts } from './checkpoint-parts.js';
import { WitnessAway } from '../witnesses/cosigning.js';
import { type WitnessEvents, type WitnessRounds } from '../witnesses/witness-rounds.js';
import { HistoryMissing } from '../../../platform/event-sourcing/event-store.js';
import { FencedOff } from '../../../platform/projecting/checkpoints.js';
import { storeOutage } from '../../../platform/store-outages.js';

/** Milliseconds between reads of the log's new events. The tiles are written as often. */
const POLL_MS = 1_000;
const AGAIN_MS = 60_000;
const REREAD_EVERY_MS = 86_400_000;
/** Reading the log again rests this many times as long as it works, because the read models wait for the same thread. */
const REST = 3;
const MAX_REST_MS = 10_000;
const ACTOR = 'service';

/**
 * Keeps the tree of the log, signs the checkpoints that are due, and asks the witnesses for their signatures, until `until` is aborted. One
 * instance does this. @throws errors of a store that does not respond
 */
export async function keepCheckpoints(parts: CheckpointParts, everySeconds: number, logger: Logger, until: AbortSignal): Promise<void> {
  parts.maker.onRepaired = (tiles) => {
    logger.warn({ tiles }, 'tiles of the log’s tree were not what the log says, or were missing, and have been written again');
  };
  const rounds = parts.witnessRounds(loggedRounds(logger));
  try {
    await parts.maker.follow(until);
    await untilOneEnds(until, (signal) => {
      const keeping = { logger, rounds, until: signal };
      return [keepTree(parts, everySeconds, keeping), rereadDaily(parts.maker, keeping)];
    });
  } finally {
    await rounds.end();
  }
}

/** Runs loops at the same time. Once one has ended, it ends the others and waits for them. @throws what the first one threw */
async function untilOneEnds(signal: AbortSignal, loops: (signal: AbortSignal) => readonly Promise<void>[]): Promise<void> {
  const ended = new AbortController();
  const end = (): void => {
    ended.abort();
  };
  const running = loops(AbortSignal.any([signal, ended.signal])).map((loop) => loop.finally(end));
  await Promise.allSettled(running);
  await Promise.all(running);
}

interface Keeping {
  readonly logger: Logger;
  readonly rounds: WitnessRounds;
  readonly until: AbortSignal;
}

function loggedRounds(logger: Logger): WitnessEvents {
  return {
    onCosigned: ({ name: witness }, { number }) => {
      logger.info({ witness, number }, 'a witness cosigned a checkpoint of the log');
    },
    onAway: ({ name: witness }, { number }, error) => {
      const reason = { reason: (error as Error).message, ...(error instanceof WitnessAway ? {} : { err: error }) };
      logger.warn({ witness, number, ...reason }, 'a witness did not cosign a checkpoint of the log; it is asked again with the next one');
    },
  };
}

/** @throws errors of a store that does not respond */
async function keepTree({ keys, maker }: CheckpointParts, everySeconds: number, { logger, rounds, until }: Keeping): Promise<void> {
  const stopping = (): boolean => until.aborted;
  let [hasKey, nextAt] = [false, -Infinity];
  while (!stopping()) {
    await maker.follow(until);
    if (!stopping() && performance.now() >= nextAt) {
      const made = await attempt(logger, async () => {
        // The first start fixes the origin of the log.
        if (!hasKey) await keys.signer(ACTOR);
        hasKey = true;
        await makeIfDue(maker, everySeconds, logger);
      });
      if (!made) nextAt = performance.now() + AGAIN_MS;
    }
    // Any process may have made the newest checkpoint; this one alone sends it to the witnesses.
    if (!stopping()) await rounds.begin();
    await delay(POLL_MS, undefined, { signal: until }).catch(() => undefined);
  }
}

/** Compares the log with the tree after the start, and once a day. @throws errors of a store that does not respond */
async function rereadDaily(maker: CheckpointMaker, keeping: Pick<Keeping, 'logger' | 'until'>): Promise<void> {
  const { until } = keeping;
  while (!until.aborted) {
    // A log that has just begun has nothing to compare.
    const isSame = maker.treeSize === 0 || (await reread(maker, keeping));
    await delay(isSame === undefined ? AGAIN_MS : REREAD_EVERY_MS, undefined, { signal: until }).catch(() => undefined);
  }
}

async function reread(maker: CheckpointMaker, { logger, until }: Pick<Keeping, 'logger' | 'until'>): Promise<boolean | undefined> {
  const begun = performance.now();
  logger.info({ events: maker.treeSize }, 'comparing the log with its tree');
  const isSame = await maker.reread(until, restAfterWork(until));
  const seconds = Math.round((performance.now() - begun) / 1_000);
  if (until.aborted) return isSame;
  if (isSame === true) logger.info({ seconds }, 'the log is the one of its tree');
  else if (isSame === undefined) logger.info({ seconds }, 'the log could not be compared with its tree; trying again in a minute');
  else logger.error({ seconds }, 'the log is no longer the one of its tree: events were changed or removed, and no checkpoint can be made');
  return isSame;
}

/** Returns a function that rests for some times as long as has passed since it was called last. */
function restAfterWork(signal: AbortSignal): () => Promise<void> {
  let since = performance.now();
  return async () => {
    await delay(Math.min(MAX_REST_MS, REST * (performance.now() - since)), undefined, { signal }).catch(() => undefined);
    since = performance.now();
  };
}

async function makeIfDue(maker: CheckpointMaker, everySeconds: number, logger: Logger): Promise<void> {
  const made = await maker.makeIfDue(ACTOR, everySeconds);
  if (made) logger.info({ number: made.number, tree_size: made.tree_size }, 'signed a checkpoint of the log');
}

/** Logs why a checkpoint cannot be made, and returns whether it could. @throws errors of a store that does not respond */
async function attempt(logger: Logger, work: () => Promise<void>): Promise<boolean> {
  try {
    await work();
    return true;
  } catch (error) {
    if (error instanceof FencedOff || (storeOutage(error) !== undefined && !(error instanceof HistoryMissing))) throw error;
    logger.error({ err: error }, 'a checkpoint of the log cannot be made; one that is due is tried again in a minute');
    return false;
  }
}
