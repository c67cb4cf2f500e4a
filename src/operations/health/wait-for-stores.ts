import { setTimeout as delay } from 'node:timers/promises';
import { connectionConfig } from '../../platform/database/pool.js';
import { refuseUnfitPooler } from '../../platform/database/refuse-unfit-pooler.js';
import { SessionClient } from '../../platform/database/session-client.js';
import { DatabaseUnusable } from '../../platform/database/session-settings.js';
import { AccessRejected } from '../../platform/event-sourcing/event-store.js';
import { eventStoreNote, hostsIn, postgresNote } from '../../stores/client-variables.js';
import { createEventStore } from '../../stores/store-clients.js';
import { type StoreAddresses } from '../../stores/stores.js';
import { connect } from 'node:tls';
import { type Pool } from 'pg';
import { projections } from '../../../projections/index.js';
import { areReadable } from '../../platform/projecting/applying/start-up.js';

const POLL_MS = 500;
const PROBE_TIMEOUT_MS = 5_000;
/** PostgreSQL's class of error codes for a wrong user or password. */
const INVALID_AUTHORIZATION = '28';
/** Codes of Node's resolver, and the message of gRPC's. */
const UNRESOLVED = /\bENOTFOUND\b|\bEAI_AGAIN\b|Name resolution failed/;

interface WaitOptions {
  readonly seconds: number;
  /** How many connections to PostgreSQL the process opens at most. */
  readonly connections: number;
  readonly say: (text: string) => void;
  /** Abort it to end the wait. */
  readonly signal: AbortSignal;
}

interface Store {
  readonly name: string;
  /** Variable that holds the URL of the store. */
  readonly setting: string;
  /** A part of a sentence about variables of the environment that change the connection, for the reason why it fails; empty without any. */
  readonly note: string;
  /** @throws the client's error while the store does not answer */
  probe(this: void): Promise<void>;
}

/** The store rejected the credentials, which waiting does not change. */
class CredentialsRejected extends Error {}

/**
 * Waits until both stores answer, because a process may start before its stores. Says which store it waits for, and why.
 * @throws Error with a sentence when the time is over or a store rejects the service, which waiting does not change; the reason of `signal` once that is aborted
 */
export async function waitForStores({ databaseUrl, eventStoreUrl }: StoreAddresses, options: WaitOptions): Promise<void> {
  const failed = new AbortController();
  const both = { ...options, signal: AbortSignal.any([options.signal, failed.signal]) };
  const waits = [waitFor(databaseAt(databaseUrl, options.connections), both), waitFor(eventStoreAt(eventStoreUrl), both)];
  try {
    await Promise.all(waits);
  } catch (error) {
    failed.abort();
    // Nobody waits for the other store any more.
    await Promise.allSettled(waits);
    throw error;
  }
}

function databaseAt(url: string, connections: number): Store {
  const name = `PostgreSQL at ${hostsIn(url)}`;
  return { name, setting: 'DATABASE_URL', note: postgresNote(url), probe: () => probeDatabase(url, connections) };
}

function eventStoreAt(url: string): Store {
  const name = `The event store at ${hostsIn(url)}`;
  return { name, setting: 'EVENT_STORE_URL', note: eventStoreNote(url), probe: () => probeEventStore(url) };
}

async function waitFor({ name, setting, note, probe }: Store, { seconds, say, signal }: WaitOptions): Promise<void> {
  const until = Date.now() + seconds * 1_000;
  for (let lastReason = ''; ;) {
    signal.throwIfAborted();
    try {
      await probe();
      if (lastReason !== '') say(`${name} answers.`);
      return;
    } catch (error) {
      const reason = reasonOf(error) + note;
      if (error instanceof AccessRejected || error instanceof DatabaseUnusable) throw error;
      if (error instanceof CredentialsRejected)
        throw new Error(`${name} rejects the user or password in ${setting}: ${reason}.`, { cause: error });
      if (Date.now() >= until)
        throw new Error(
          `${name} did not answer in ${seconds} s (${reason}). Start it, correct ${setting}, or raise WAIT_FOR_STORES_SECONDS.`,
          { cause: error },
        );
      if (reason !== lastReason) say(`${name} does not answer yet (${reason}); waiting up to ${seconds} s …`);
      lastReason = reason;
    }
    await delay(POLL_MS, undefined, { signal }).catch(() => undefined);
  }
}

async function probeDatabase(databaseUrl: string, connections: number): Promise<void> {
  const config = { ...connectionConfig(databaseUrl), connectionTimeoutMillis: PROBE_TIMEOUT_MS, query_timeout: PROBE_TIMEOUT_MS };
  const client = new SessionClient(config);
  try {
    await refuseUnfitPooler(config, connections);
    await client.connect();
  } catch (error) {
    if ((error as { code?: string }).code?.startsWith(INVALID_AUTHORIZATION))
      throw new CredentialsRejected((error as Error).message, { cause: error });
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function probeEventStore(eventStoreUrl: string): Promise<void> {
  const eventStore = createEventStore(eventStoreUrl, { stallTimeoutMs: PROBE_TIMEOUT_MS });
  try {
    await eventStore.headPosition();
    // A store that accepts no appends for another reason may still be started on: readiness reports it.
    await eventStore.checkAppends().catch((error: unknown) => {
      if (error instanceof AccessRejected) throw error;
    });
  } catch (error) {
    throw error instanceof AccessRejected ? error : ((await tlsWithoutUse(eventStoreUrl)) ?? error);
  } finally {
    await eventStore.close();
  }
}

/**
 * Returns the code of a network error, which operators know, or else the message. The time of the attempt is cut out of it, so that the
 * same reason is printed once. A name that does not resolve may be that of a container which has not started yet.
 */
function reasonOf(error: unknown): string {
  const { code, message } = error as { code?: unknown; message?: string };
  const words = message ?? String(error);
  if (UNRESOLVED.test(`${String(code)} ${words}`)) return 'its host name does not resolve';
  if (typeof code === 'string' && /^E[A-Z]{2}/.test(code)) return code;
  return words
    .replace(/^The event store does not answer: (?:Error: )?/, '')
    .replace(/ \(\d{4}-\d\d-\d\dT[^)]*\)/, '')
    .replace(/\.? Resolution note: *$/, '');
}

const HANDSHAKE_TIMEOUT_MS = 2_000;
const DEFAULT_PORT = 2_113;

/**
 * Finds out why an event store does not respond to a connection string with tls=false. A node with TLS closes such a connection without a
 * word, as a node that is starting does, so each host of the string is asked for a TLS handshake.
 * @returns the error with a sentence for the operator if a host speaks TLS; undefined if none does, or the connection string asks for TLS
 */
export async function tlsWithoutUse(connectionString: string): Promise<AccessRejected | undefined> {
  const [, hosts = '', options = ''] = /^[a-z+]+:\/\/(?:[^/?]*@)?([^/?]+)\/?(.*)$/.exec(connectionString) ?? [];
  if (!/[?&]tls=false(?:&|$)/i.test(options)) return undefined;
  const speak = await Promise.all(hosts.split(',').map(speaksTls));
  const host = hosts.split(',')[speak.indexOf(true)];
  if (host === undefined) return undefined;
  const todo = 'Set tls=true there, and name the file of its certificate authority with tlsCAFile=.';
  return new AccessRejected(`The event store at ${host} speaks TLS, and EVENT_STORE_URL says tls=false. ${todo}`, 'certificate');
}

async function speaksTls(address: string): Promise<boolean> {
  const [host = '', port = String(DEFAULT_PORT)] = address.split(':');
  // Nothing is sent or believed: only whether the handshake succeeds matters.
  const socket = connect({ host, port: Number(port), rejectUnauthorized: false, timeout: HANDSHAKE_TIMEOUT_MS });
  try {
    return await new Promise<boolean>((resolve) => {
      socket.once('secureConnect', () => {
        resolve(true);
      });
      for (const event of ['error', 'timeout', 'close'])
        socket.once(event, () => {
          resolve(false);
        });
    });
  } finally {
    socket.destroy();
  }
}

/**
 * Waits until a process with the role `projector` has built every table that this version reads. There is no time limit, because a build
 * from scratch reads the whole log.
 * @throws SteppedDown if a newer version has built the tables; the reason of `signal` once that is aborted
 */
export async function waitForReadModels(pool: Pool, schema: string, say: (text: string) => void, signal: AbortSignal): Promise<void> {
  for (let announced = false; !(await areReadable(pool, projections, schema)); announced = true) {
    if (!announced) say('The read models do not exist yet; waiting for a process with the role projector to build them …');
    await delay(POLL_MS, undefined, { signal });
  }
}
