import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/key-store/secrets.js';
import { logNumber } from '../domain/log-adoption.js';
import { noteParts } from '../domain/signed-note.js';
import { parseTreeHead, type TreeHead } from '../domain/tree-head.js';
import { type Checkpoint, type CheckpointLog, originOf } from './checkpoint-log.js';

/** A checkpoint that was signed, with the key that signed it. */
export interface SignedNote extends Pick<Checkpoint, 'number' | 'note'> {
  readonly verifier_key: string;
}

/** A checkpoint that the log must extend. */
export interface KnownNote extends TreeHead {
  readonly number: number;
  readonly note: string;
  /** Undefined for one that was read from the log, which has the key. */
  readonly verifier_key?: string;
}

const NAME = 'checkpoint-note/newest';

/**
 * The newest checkpoint that was signed, as the database knows it: a log that is restored to an earlier state may lack the event, too. It is
 * in the key store because what is there has the master key's authentication, is not computed from the log, and is backed up last.
 */
@Injectable()
export class KeptNote {
  constructor(private readonly secrets: Secrets) {}

  /** Returns it; undefined before the first. */
  async get(): Promise<KnownNote | undefined> {
    const stored = await this.secrets.get(NAME);
    return stored && knownNote(JSON.parse(stored.toString()) as SignedNote);
  }

  /** Returns the newest checkpoint that the present log must extend: the last one in the log, or the one that is kept if it is newer. */
  async newest(log: CheckpointLog): Promise<KnownNote | undefined> {
    const [last, present, kept] = [await log.last(), (await log.adoptions()).at(-1), await this.get()];
    const inLog = last && { ...last, origin: originOf(last) };
    if (!kept || (present && logNumber(kept.origin) < logNumber(present.origin))) return inLog;
    return inLog && byAge(inLog, kept) >= 0 ? inLog : kept;
  }

  /** Call it before anybody else learns of the checkpoint. */
  async keep({ number, note, verifier_key }: SignedNote): Promise<void> {
    await this.secrets.replace(NAME, Buffer.from(JSON.stringify({ number, note, verifier_key } satisfies SignedNote)));
  }
}

/** Returns the parts of a note, whose signature is not verified; undefined if it is malformed. */
export function knownNote<Note extends { readonly number: number; readonly note: string }>(note: Note): (Note & TreeHead) | undefined {
  const head = parseTreeHead(noteParts(note.note)?.text ?? '');
  return head && { ...note, ...head };
}

/** Orders notes by log, and those of a log by size. */
export function byAge(one: TreeHead, other: TreeHead): number {
  return logNumber(one.origin) - logNumber(other.origin) || one.tree_size - other.tree_size;
}
