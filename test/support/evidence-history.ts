import { createHash, randomUUID } from 'node:crypto';
import { type NoteSigner } from '../../src/contexts/evidence/domain/signed-note.js';
import { type Codec } from '../../src/platform/event-sourcing/coding/codec.js';
import { type Dated, type DomainEvent } from '../../src/platform/event-sourcing/decider.js';
import { chainHash, GENESIS_HASH, type StreamKind } from '../../src/platform/event-sourcing/stream-kind.js';
import { type StoredEvent } from '../../src/platform/event-sourcing/recorded-event.js';
import { decideBatch, type Head } from '../../src/platform/event-sourcing/writing/batch.js';
import { codecWithoutKeys } from './service-log.js';

/** A line of the evidence file. */
export interface EvidenceLine {
  readonly index: number;
  readonly stream: string;
  readonly revision: number;
  readonly type: string;
  readonly id: string;
  readonly created: string;
  readonly data: string;
  readonly metadata: string;
}

type Data = Readonly<Record<string, unknown>>;

/** The time and the author of a command. */
export interface By {
  readonly at: string;
  readonly actor: string;
}

/** Makes the evidence of a log in memory. The service's own deciders and codec write the events, as they would in an event store. */
export class EvidenceHistory {
  readonly lines: EvidenceLine[] = [];
  nowMs = Date.parse('2026-03-01T08:00:00.000Z');
  private readonly heads = new Map<string, Head<unknown>>();
  private readonly lengths = new Map<string, number>();
  private readonly codec: Codec = codecWithoutKeys();
  private correlationId: string = randomUUID();

  get now(): string {
    return new Date(this.nowMs).toISOString();
  }

  /** Runs the work as the call of an administrator or a command, between its entries in the audit trail. */
  async as(actor: string, work: (by: By) => Promise<void>, route = 'POST /admin/v1/partners'): Promise<void> {
    const [role = '', name = null] = actor.split(':');
    const [method, path] = role === 'cli' ? ['RUN', 'rupa partners'] : route.split(' ');
    const call = { call_id: randomUUID(), role, name, fingerprint: null, address: null, method, route: path, parameters: {} };
    this.correlationId = randomUUID();
    const begin = { ...call, recorded_at: this.now };
    if (method !== 'GET' && path !== '/console/sign-in') this.append(`admin_audit-${this.now.slice(0, 10)}`, 'AdminCallBegun', begin);
    await work({ at: this.now, actor });
    this.append(`admin_audit-${this.now.slice(0, 10)}`, 'AdminCallEnded', {
      ...call,
      recorded_at: this.now,
      status: role === 'cli' ? 0 : 200,
    });
    this.correlationId = randomUUID();
  }

  /** Decides a command and appends its events, of which it returns the number. @throws Rejection */
  async decide<State, Command extends Dated, Event extends DomainEvent>(
    kind: StreamKind<State, Command, Event>,
    id: string,
    command: Command,
  ): Promise<number> {
    const stream = `${kind.category}-${id}`;
    const start = (this.heads.get(stream) as Head<State> | undefined) ?? {
      state: kind.decider.initialState,
      revision: -1n,
      hash: undefined,
    };
    const state = kind.atRevision?.(start.state, start.revision) ?? start.state;
    const context = { correlationId: this.correlationId, causationId: this.correlationId };
    const waiting = { command, context, resolve: () => undefined, reject: () => undefined };
    const decided = decideBatch(kind, stream, { ...start, state }, [waiting], (type) => this.codec.version(type));
    for (const { error } of decided.rejected) throw error;
    this.heads.set(stream, decided.head);
    for (const event of await this.codec.encode(stream, decided.events))
      this.push(stream, event.type, event.id, event.data, event.metadata);
    return decided.events.length;
  }

  /** Appends an event that no decider of this release decides on. */
  append(
    stream: string,
    type: string,
    data: Data,
    metadata: Data = { $correlationId: this.correlationId, schema_version: 1 },
    id: string = randomUUID(),
  ): string {
    const head = this.heads.get(stream) ?? { state: null, revision: -1n, hash: undefined };
    this.heads.set(stream, { ...head, revision: head.revision + 1n });
    this.push(stream, type, id, data, metadata);
    return id;
  }

  /** Records a checkpoint of all events so far. */
  checkpoint(number: number, signer: NoteSigner): void {
    const note = signedNote(this.lines, signer);
    const [, , root] = note.split('\n');
    const data = { number, tree_size: this.lines.length, root, note, recorded_at: this.now, actor: 'service' };
    this.append('checkpoints-main', 'CheckpointSigned', data);
  }

  wait(ms: number): void {
    this.nowMs += ms;
  }

  private push(stream: string, type: string, id: string, data: object, metadata: object): void {
    const revision = this.lengths.get(stream) ?? 0;
    this.lengths.set(stream, revision + 1);
    const texts = { data: JSON.stringify(data), metadata: JSON.stringify(metadata) };
    this.lines.push({ index: this.lines.length, stream, revision, type, id, created: this.now, ...texts });
  }
}

export const fileText = (lines: readonly EvidenceLine[]): string => lines.map((line) => `${JSON.stringify(line)}\n`).join('');

/** Returns the line with other data or metadata. */
export function edited(line: EvidenceLine, { data = {}, metadata = {} }: { readonly data?: Data; readonly metadata?: Data }): EvidenceLine {
  const merged = (text: string, more: Data): string => JSON.stringify({ ...(JSON.parse(text) as Data), ...more });
  return { ...line, data: merged(line.data, data), metadata: merged(line.metadata, metadata) };
}

/** Renumbers lines and revisions, and recomputes the chains of the wallets, as somebody who writes to the log could. */
export function rebuilt(lines: readonly EvidenceLine[]): EvidenceLine[] {
  const codec = codecWithoutKeys();
  const revisions = new Map<string, number>();
  const hashes = new Map<string, string>();
  return lines.map((line, index) => {
    const { stream, type } = line;
    const revision = revisions.get(stream) ?? 0;
    revisions.set(stream, revision + 1);
    const metadata = JSON.parse(line.metadata) as Data;
    if (metadata.hash === undefined) return { ...line, index, revision };
    const event = { stream, type, revision: BigInt(revision), data: JSON.parse(line.data) as Data, metadata } as unknown as StoredEvent;
    const hash = chainHash(hashes.get(stream) ?? GENESIS_HASH, stream, BigInt(revision), type, codec.inFull(event).data);
    hashes.set(stream, hash);
    return edited({ ...line, index, revision }, { metadata: { hash } });
  });
}

const sha256 = (...parts: (Buffer | string)[]): Buffer => parts.reduce((hash, part) => hash.update(part), createHash('sha256')).digest();

/** Returns the root of the tree over the lines (RFC 6962, section 2.1), by the definition of the leaves in the specification. */
export function treeRoot(lines: readonly EvidenceLine[]): Buffer {
  const [first] = lines;
  if (!first) return sha256();
  if (lines.length === 1) {
    const { stream, revision, type, id, data, metadata } = first;
    const hex = (text: string): string => sha256(text).toString('hex');
    const [streamText, typeText] = [stream, type].map((text) => JSON.stringify(text).slice(1, -1));
    return sha256(Buffer.of(0), [streamText, revision, typeText, id, `${hex(data)} ${hex(metadata)}`].join('\n'));
  }
  const split = 2 ** Math.floor(Math.log2(lines.length - 1));
  return sha256(Buffer.of(1), treeRoot(lines.slice(0, split)), treeRoot(lines.slice(split)));
}

export function signedNote(lines: readonly EvidenceLine[], signer: NoteSigner): string {
  return signer.sign(`${signer.name}\n${lines.length}\n${treeRoot(lines).toString('base64')}\n`);
}
