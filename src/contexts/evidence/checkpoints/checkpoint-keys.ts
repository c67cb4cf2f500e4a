import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Clock } from '../../../kernel/clock.js';
import { asRecorded } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { Secrets } from '../../../platform/key-store/secrets.js';
import { type CheckpointKeyIssued } from '../domain/events.js';
import { CHECKPOINT_KEY_STREAMS, type IssuedKey, KEYS_STREAM, MAIN } from '../domain/make-checkpoint.js';
import { NoteSigner } from '../domain/signed-note.js';
import { logNumber } from '../domain/log-adoption.js';
import { CheckpointLog } from './checkpoint-log.js';
import { Streams } from '../../../platform/event-sourcing/writing/stream-writer.js';
import { type Witness } from '../witnesses/witness.js';

/** Provided by the application. */
export abstract class CheckpointOptions {
  /** Name of the first key, and origin of the checkpoints. Later keys have the name of the first, whatever this says. */
  abstract readonly origin: string;
  /** Seconds between two checkpoints. */
  abstract readonly everySeconds: number;
  abstract readonly witnesses: readonly Witness[];
}

/** The end of the origin that the service gave its log when its checkpoints were of wallets' heads. */
const FORMER_ORIGIN = '/wallets';

/** Returns the origin of a service's checkpoints: its public address without the scheme, as https://c2sp.org/tlog-checkpoint recommends. */
export function checkpointOrigin(publicUrl: string): string {
  const { host, pathname } = new URL(publicUrl);
  return `${host}${pathname.replace(/\/+$/, '')}/log`.replaceAll('+', '%2B');
}

const SEED_BYTES = 32;

/** The key store lacks the key that signs checkpoints, as after a restore of it or of the log alone. */
export class CheckpointKeyLost extends Error {
  override name = 'CheckpointKeyLost';
}

/**
 * The keys that sign checkpoints. Private keys are in the key store, wrapped by the master key; the log holds the public ones, so that the
 * retired ones stay published (docs/adr/0021).
 */
@Injectable()
export class CheckpointKeys {
  constructor(
    private readonly streams: Streams,
    private readonly eventStore: EventStore,
    private readonly secrets: Secrets,
    private readonly log: CheckpointLog,
    private readonly clock: Clock,
    private readonly options: CheckpointOptions,
  ) {}

  /** Returns the signer with the current key, and issues the first key of the present log if there is none. @throws CheckpointKeyLost */
  async signer(actor: string): Promise<NoteSigner> {
    const current = (await this.streams.of(CHECKPOINT_KEY_STREAMS).load(MAIN)).state;
    const origin = await this.origin(current);
    return current?.name === origin ? await this.read(current) : await this.rotate(actor);
  }

  /** Issues the next key of the present log, and destroys the private halves of all former ones. */
  async rotate(actor: string): Promise<NoteSigner> {
    const current = (await this.streams.of(CHECKPOINT_KEY_STREAMS).load(MAIN)).state;
    const number = current?.number ?? 0;
    const origin = await this.origin(current);
    const signer = await this.issue(number + 1, origin, actor);
    // A restored key store may hold the private halves of earlier keys again.
    for (let former = 1; former <= number; former += 1) await this.secrets.removeByPrefix(prefixOf(former));
    // A key of that number may have been issued in the part of the former log that was lost.
    if (current && current.name !== origin) await this.secrets.remove([nameOf(number + 1, current.name)]);
    return signer;
  }

  /** Returns the verifier keys, also the retired ones, oldest first. A key that was lost with a former log is among them, too. */
  async verifierKeys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const page of this.eventStore.streamPages(KEYS_STREAM))
      keys.push(...page.map((stored) => asRecorded<CheckpointKeyIssued>(stored).data.verifier_key));
    const lost = (await this.log.adoptions()).map(({ former_key }) => former_key).filter((key) => !keys.includes(key));
    return [...new Set(lost), ...keys];
  }

  /** Returns the origin of the present log. */
  private async origin(current: IssuedKey | null): Promise<string> {
    const adopted = (await this.log.adoptions()).at(-1);
    return adopted?.origin ?? (current && !current.name.endsWith(FORMER_ORIGIN) ? current.name : this.options.origin);
  }

  private async read({ number, name, verifier_key }: IssuedKey): Promise<NoteSigner> {
    const seed = await this.secrets.get(nameOf(number, name));
    const signer = seed && new NoteSigner(name, seed);
    if (signer?.verifierKey !== verifier_key)
      throw new CheckpointKeyLost(
        `The key store does not hold key ${number}, which signs checkpoints. Restore the key store, or run: rupa keys rotate-checkpoint`,
      );
    return signer;
  }

  /** The seed is stored first. If the process stops in between, or two processes issue the key, the next attempt uses the stored seed. */
  private async issue(number: number, origin: string, actor: string): Promise<NoteSigner> {
    await this.secrets.add(nameOf(number, origin), randomBytes(SEED_BYTES));
    const seed = await this.secrets.get(nameOf(number, origin));
    if (!seed) throw new Error(`The key store lost key ${number}, which signs checkpoints, while it was being issued.`);
    const { name, verifierKey } = new NoteSigner(origin, seed);
    const { state } = await this.streams.of(CHECKPOINT_KEY_STREAMS).execute(MAIN, {
      number,
      name,
      verifier_key: verifierKey,
      at: this.clock.iso(),
      actor,
    });
    return new NoteSigner(state?.name ?? name, seed);
  }
}

function prefixOf(number: number): string {
  return `checkpoint-key/${number}/`;
}

/** A key of a log that lost events may have had the same number, so the name has the number of the log. */
function nameOf(number: number, origin: string): string {
  const log = logNumber(origin);
  return `${prefixOf(number)}${log === 1 ? '' : `log-${log}/`}seed`;
}
