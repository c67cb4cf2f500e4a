import { type Pool } from 'pg';
import { ReferenceHash } from '../../src/contexts/reports/reference-hash.js';
import { eventCatalogue } from '../../src/stores/event-catalogue.js';
import { Codec } from '../../src/platform/event-sourcing/coding/codec.js';
import { type EventCatalogue } from '../../src/platform/event-sourcing/coding/event-schema.js';
import { type EventStore } from '../../src/platform/event-sourcing/event-store.js';
import { DataKeys } from '../../src/platform/key-store/data-keys.js';
import { type MasterKeys } from '../../src/platform/key-store/master-keys.js';
import { Secrets } from '../../src/platform/key-store/secrets.js';
import { SigningSecrets } from '../../src/contexts/webhooks/endpoints/signing-secrets.js';
import { Appender } from './appender.js';
import { history } from './history.js';
import { type Round, type StreamAppend } from './round.js';

export interface FillLogOptions {
  /** Smallest number of events. The last round is completed, so there may be more. */
  readonly events: number;
  readonly seed: number;
  readonly eventStore: EventStore;
  /** Connections to the migrated database with the key store. */
  readonly pool: Pool;
  readonly masterKeys: MasterKeys;
  /** Called with the number of events that were appended since the last call. */
  readonly onProgress?: (events: number) => void;
}

export interface FilledLog {
  readonly events: number;
  readonly farmers: number;
}

const catalogue: EventCatalogue = eventCatalogue;

/**
 * Fills an empty log with a history. Only one round and the appends in flight are in memory.
 * @throws Error if the log is not empty, or if another process writes to it meanwhile.
 */
export async function fillLog({ events, seed, eventStore, pool, masterKeys, onProgress }: FillLogOptions): Promise<FilledLog> {
  if ((await eventStore.headPosition()) !== undefined) {
    throw new Error('The log already holds events. Fill an empty one, such as that of a new DATA_DIR.');
  }
  const secrets = new Secrets(pool, masterKeys);
  const references = new ReferenceHash(secrets, eventStore);
  await references.onApplicationBootstrap();
  const encrypter = new Encrypter(new DataKeys(pool, masterKeys), new SigningSecrets(secrets));
  const appender = new Appender(eventStore, (count) => onProgress?.(count));
  const filled = { events: 0, farmers: 0 };
  for (const round of history({ events, seed, nameOf: (partnerId, reference) => references.of(partnerId, reference) })) {
    for (const append of await encrypter.encrypt(round)) await appender.add(append);
    filled.events += round.events;
    filled.farmers += round.farmers.length;
  }
  await appender.finish();
  return filled;
}

class Encrypter {
  private readonly codec: Codec;

  constructor(
    private readonly keys: DataKeys,
    private readonly signingSecrets: SigningSecrets,
  ) {
    this.codec = new Codec(eventCatalogue, keys);
  }

  /** Stores the data keys and secrets of a round before its events are appended, in few statements, and encrypts the events. */
  async encrypt(round: Round): Promise<StreamAppend[]> {
    const appends = [...round.appends.values()];
    await Promise.all(round.farmers.map((rupaId) => this.keys.create(rupaId)));
    await Promise.all(round.secrets.map(({ endpoint_id, secret_id }) => this.signingSecrets.create(endpoint_id, secret_id)));
    await this.keys.load([...encryptedFor(appends)]);
    const encrypted: StreamAppend[] = [];
    for (const append of appends) encrypted.push({ ...append, events: await this.codec.encode(append.stream, append.events) });
    return encrypted;
  }
}

/** Returns the farmers whose data keys a round needs, so that they are read together instead of stream by stream. */
function encryptedFor(appends: readonly StreamAppend[]): Set<string> {
  const found = new Set<string>();
  for (const { events } of appends) {
    for (const { type, data } of events) if (catalogue[type]?.personal && typeof data.rupa_id === 'string') found.add(data.rupa_id);
  }
  return found;
}
