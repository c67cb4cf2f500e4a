import { Injectable } from '@nestjs/common';
import { randomBytes } from 'node:crypto';
import { Clock } from '../../../kernel/clock.js';
import { asRecorded } from '../../../platform/event-sourcing/coding/codec.js';
import { EventStore } from '../../../platform/event-sourcing/event-store.js';
import { Secrets } from '../../../platform/key-store/secrets.js';
import { type CheckpointKeyIssued } from '../domain/events.js';
import { CHECKPOINT_KEY_STREAMS, type IssueKey, KEYS_STREAM, MAIN } from '../domain/make-checkpoint.js';
import { NoteSigner } from '../domain/signed-note.js';
import { Streams } from '../../../platform/event-sourcing/writing/streams.js';

/** Provided by the application. */
export abstract class CheckpointOptions {
  /** Name of the next key, and origin of the checkpoints that it signs. */
  abstract readonly origin: string;
}

/** Returns the origin of a service's checkpoints: its public address without the scheme, as https://c2sp.org/tlog-checkpoint recommends. */
export function checkpointOrigin(publicUrl: string): string {
  const { host, pathname } = new URL(publicUrl);
  return `${host}${pathname.replace(/\/+$/, '')}/wallets`.replaceAll('+', '%2B');
}

const SEED_BYTES = 32;

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
    private readonly clock: Clock,
    private readonly options: CheckpointOptions,
  ) {}

  /** Returns the signer with the current key, and issues the first key if there is none. @throws Error if the key store lost the key */
  async signer(actor: string): Promise<NoteSigner> {
    const current = (await this.streams.of(CHECKPOINT_KEY_STREAMS).load(MAIN)).state;
    return current ? await this.read(current) : await this.issue(1, actor);
  }

  /** Issues a new key, and destroys the private half of the current one. */
  async rotate(actor: string): Promise<NoteSigner> {
    const number = (await this.streams.of(CHECKPOINT_KEY_STREAMS).load(MAIN)).state?.number ?? 0;
    const signer = await this.issue(number + 1, actor);
    await this.secrets.removeByPrefix(prefixOf(number));
    return signer;
  }

  /** Returns the verifier keys, also the retired ones, oldest first. */
  async verifierKeys(): Promise<string[]> {
    const keys: string[] = [];
    for await (const page of this.eventStore.streamPages(KEYS_STREAM))
      keys.push(...page.map((stored) => asRecorded<CheckpointKeyIssued>(stored).data.verifier_key));
    return keys;
  }

  private async read({ number, name, verifier_key }: IssueKey): Promise<NoteSigner> {
    const seed = await this.secrets.get(nameOf(number));
    const signer = seed && new NoteSigner(name, seed);
    if (signer?.verifierKey !== verifier_key)
      throw new Error(
        `The key store does not hold key ${number}, which signs checkpoints. Restore the key store, or run: rupa keys rotate-checkpoint`,
      );
    return signer;
  }

  /** The seed is stored first. If the process stops in between, or two processes issue the key, the next attempt uses the stored seed. */
  private async issue(number: number, actor: string): Promise<NoteSigner> {
    await this.secrets.add(nameOf(number), randomBytes(SEED_BYTES));
    const seed = await this.secrets.get(nameOf(number));
    if (!seed) throw new Error(`The key store lost key ${number}, which signs checkpoints, while it was being issued.`);
    const { name, verifierKey } = new NoteSigner(this.options.origin, seed);
    const { state } = await this.streams.of(CHECKPOINT_KEY_STREAMS).execute(MAIN, {
      number,
      name,
      verifier_key: verifierKey,
      recorded_at: this.clock.iso(),
      actor,
    });
    return new NoteSigner(state?.name ?? name, seed);
  }
}

function prefixOf(number: number): string {
  return `checkpoint-key/${number}/`;
}

function nameOf(number: number): string {
  return `${prefixOf(number)}seed`;
}
