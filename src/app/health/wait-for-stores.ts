import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { connectionConfig } from '../../platform/database/pool.js';
import { createEventStore } from '../platform.js';
import { type StoreAddresses } from '../stores.js';

const POLL_MS = 500;
const PROBE_TIMEOUT_MS = 5_000;
/** PostgreSQL's class of codes for a user or a password that is wrong. */
const REFUSED_USER = '28';

export interface Patience {
  readonly seconds: number;
  readonly say: (text: string) => void;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

interface Store {
  readonly name: string;
  /** Variable that says where it is. */
  readonly setting: string;
  /** @throws whatever the store's client throws while it is not there. */
  probe(this: void): Promise<void>;
}

/** What waiting does not mend. */
class Refused extends Error {}

/**
 * Waits until both stores answer: a process may be started before them. Says what it waits for, and why.
 * @throws Error with a sentence once the time is over, or where waiting is of no use; the signal's reason once that is aborted.
 */
export async function waitForStores({ databaseUrl, eventStoreUrl }: StoreAddresses, patience: Patience): Promise<void> {
  await Promise.all([
    waitFor({ name: `PostgreSQL at ${hostsIn(databaseUrl)}`, setting: 'DATABASE_URL', probe: () => probeDatabase(databaseUrl) }, patience),
    waitFor(
      { name: `The event store at ${hostsIn(eventStoreUrl)}`, setting: 'EVENT_STORE_URL', probe: () => probeEventStore(eventStoreUrl) },
      patience,
    ),
  ]);
}

async function waitFor({ name, setting, probe }: Store, { seconds, say, signal }: Patience): Promise<void> {
  const until = Date.now() + seconds * 1_000;
  for (let said = ''; ;) {
    signal.throwIfAborted();
    try {
      await probe();
      if (said !== '') say(`${name} answers.`);
      return;
    } catch (error) {
      const reason = reasonOf(error);
      if (error instanceof Refused) throw new Error(`${name} refuses ${setting}: ${reason}.`, { cause: error });
      if (Date.now() >= until)
        throw new Error(
          `${name} did not answer in ${seconds} s (${reason}). Start it, correct ${setting}, or raise WAIT_FOR_STORES_SECONDS.`,
          { cause: error },
        );
      if (reason !== said) say(`${name} does not answer yet (${reason}); waiting for it, ${seconds} s at most …`);
      said = reason;
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function probeDatabase(databaseUrl: string): Promise<void> {
  const client = new pg.Client({
    ...connectionConfig(databaseUrl),
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith(REFUSED_USER)) throw new Refused((error as Error).message, { cause: error });
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function probeEventStore(eventStoreUrl: string): Promise<void> {
  const eventStore = createEventStore(eventStoreUrl, { stallTimeoutMs: PROBE_TIMEOUT_MS });
  try {
    await eventStore.headPosition();
  } catch (error) {
    if ((error as { type?: unknown }).type === 'access-denied') throw new Refused('access denied', { cause: error });
    throw error;
  } finally {
    await eventStore.close();
  }
}

/** Without the user and the password. */
export function hostsIn(url: string): string {
  return /^[a-z+]+:\/\/(?:[^@/?]*@)?([^/?]+)/.exec(url)?.[1] ?? 'the address given';
}

/** The network's codes say enough; PostgreSQL's own say nothing to people. Without the time of an attempt, which would make each one a new reason. */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string };
  if (typeof code === 'string' && /^E[A-Z]{2}/.test(code)) return code;
  return (message ?? String(error))
    .replace(/^The event store does not answer: (?:Error: )?/, '')
    .replace(/ \(\d{4}-\d\d-\d\dT[^)]*\)/, '')
    .replace(/\.? Resolution note: *$/, '');
}
