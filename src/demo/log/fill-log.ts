import { type Pool } from 'pg';
import { ReferenceHash } from '../../contributions/reference-hash.js';
import { eventCatalogue } from '../../event-catalogue.js';
import { Codec, type EventCatalogue } from '../../event-sourcing/codec.js';
import { type EventStore } from '../../event-sourcing/event-store.js';
import { DataKeys } from '../../key-store/data-keys.js';
import { type MasterKeys } from '../../key-store/master-keys.js';
import { Secrets } from '../../key-store/secrets.js';
import { SigningSecrets } from '../../webhooks/signing-secrets.js';
import { history } from './history.js';
import { type Round, type StreamAppend } from './round.js';

export interface FillLogOptions {
  /** At least so many; the last round is finished. */
  readonly events: number;
  readonly seed: number;
  readonly eventStore: EventStore;
  /** Of the database with the key store, migrated. */
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  /** How many more events are on disk. */
  readonly onProgress?: (events: number) => void;
}

export interface FilledLog {
  readonly events: number;
  readonly farmers: number;
}

/** Streams that are appended to side by side. */
const STREAMS_IN_FLIGHT = 256;
const EVENTS_AN_APPEND = 256;

const catalogue: EventCatalogue = eventCatalogue;

/**
 * Fills an empty log with a history. The next round is decided and sealed while the one before it is on its way; no more than
 * these two are held.
 * @throws Error where the log is not empty, or where somebody else writes to it meanwhile.
 */
export async function fillLog({ events, seed, eventStore, pool, masterKeys, onProgress }: FillLogOptions): Promise<FilledLog> {
  if ((await eventStore.headPosition()) !== undefined) {
    throw new Error('The log holds events already: fill an empty one, such as that of a new DATA_DIR.');
  }
  const secrets = new Secrets(pool, masterKeys);
  const references = new ReferenceHash(secrets, eventStore);
  await references.onApplicationBootstrap();
  const sealer = new Sealer(new DataKeys(pool, masterKeys), new SigningSecrets(secrets));
  const filled = { events: 0, farmers: 0 };
  let sending: Promise<unknown> = Promise.resolve();
  for (const round of history({ events, seed, nameOf: (partnerId, reference) => references.of(partnerId, reference) })) {
    const appends = await sealer.seal(round);
    await sending;
    sending = send(eventStore, appends).then(() => onProgress?.(round.events));
    // It is awaited only after the next round is sealed.
    sending.catch(() => undefined);
    filled.events += round.events;
    filled.farmers += round.farmers.length;
  }
  await sending;
  return filled;
}

class Sealer {
  private readonly codec: Codec;

  constructor(
    private readonly keys: DataKeys,
    private readonly signingSecrets: SigningSecrets,
  ) {
    this.codec = new Codec(eventCatalogue, keys);
  }

  /** Keys and secrets are in the key store before an event that needs them: all of a round in one statement. */
  async seal(round: Round): Promise<StreamAppend[]> {
    await Promise.all(round.farmers.map((rupaId) => this.keys.create(rupaId)));
    await Promise.all(round.secrets.map(({ endpoint_id, secret_id }) => this.signingSecrets.create(endpoint_id, secret_id)));
    await this.keys.open([...sealedFor(round)]);
    const sealed: StreamAppend[] = [];
    for (const append of round.appends.values()) sealed.push({ ...append, events: await this.codec.encode(append.stream, append.events) });
    return sealed;
  }
}

/** The farmers whose keys the round needs: read at once, not stream by stream. */
function sealedFor(round: Round): Set<string> {
  const found = new Set<string>();
  for (const { events } of round.appends.values()) {
    for (const { type, data } of events) if (catalogue[type]?.personal && typeof data.rupa_id === 'string') found.add(data.rupa_id);
  }
  return found;
}

async function send(eventStore: EventStore, appends: readonly StreamAppend[]): Promise<void> {
  const rest = appends.values();
  const lane = async (): Promise<void> => {
    for (const append of rest) await sendOne(eventStore, append);
  };
  await Promise.all(Array.from({ length: STREAMS_IN_FLIGHT }, lane));
}

async function sendOne(eventStore: EventStore, { stream, expectedRevision, events }: StreamAppend): Promise<void> {
  for (let from = 0; from < events.length; from += EVENTS_AN_APPEND) {
    const { kind } = await eventStore.append(stream, events.slice(from, from + EVENTS_AN_APPEND), expectedRevision + BigInt(from));
    if (kind === 'wrong_revision') throw new Error(`Somebody else writes to ${stream}: what was filled in so far is no whole history; begin again with an empty log.`);
  }
}
