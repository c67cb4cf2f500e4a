import { createHash, randomUUID } from 'node:crypto';
import {
  closeSync,
  createReadStream,
  existsSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { UsageError } from './terminal.js';

/** The service keeps the response to a key for 24 hours. The hour less covers clocks that differ, and the time that a call takes. */
const KEPT_MS = 23 * 60 * 60 * 1_000;

/** The progress of a run, which is stored beside its output. */
interface State {
  readonly run_id: string;
  /** A hash of the command, its options and the content of the input, so that no other run continues this one. */
  readonly fingerprint: string;
  /** Chunks whose results are in the output. */
  readonly chunks: number;
  readonly items: number;
  /** Bytes of the output that hold the results of these chunks. */
  readonly bytes: number;
  /** When the next chunk may have been sent first, ISO 8601; null if it was not. */
  readonly sending_since: string | null;
  /** The process that continues the run, which no other process has the id of; null before the first. */
  readonly owner: string | null;
  readonly is_done: boolean;
}

/**
 * The output of a run that can be ended at any moment, also by kill -9, and continued. Before a chunk is sent, the state has its place; after
 * the response, the results are written before the state says so. What was written without that is cut off, and the chunk is sent again with
 * the same key, for which the service has the response. Of two processes on one output, the one that begins to send later goes on, and the
 * other stops before it changes anything.
 */
export class ResumableOutput {
  private readonly owner = randomUUID();

  private constructor(
    private readonly file: string,
    private readonly stateFile: string,
    private readonly output: number,
    private state: State,
  ) {}

  /**
   * Opens the output of a run, a new one or one that was begun.
   * @param sendAgain whether to send a chunk again whose key has expired
   * @throws UsageError if the file belongs to something else, lacks results that the state says it has, or a key has expired
   */
  static open(file: string, fingerprint: string, sendAgain: boolean): ResumableOutput {
    const stateFile = `${file}.state.json`;
    const known = stateIn(stateFile);
    if (!known && existsSync(file)) throw new UsageError(`${file} exists already. Name another file with --out, or remove it.`);
    if (known && known.fingerprint !== fingerprint)
      throw new UsageError(
        `${stateFile} is of a run with another input or other options. Repeat that command, or name another file with --out.`,
      );
    if (known && sizeOf(file) < known.bytes)
      throw new UsageError(
        `${file} is missing, or lacks results of the ${known.items} items that ${stateFile} says are done. Put it back, or name another file with --out: what is done is then done, and charged, again.`,
      );
    if (known && !known.is_done && isExpired(known) && !sendAgain)
      throw new UsageError(
        `The run ended more than 23 hours ago while it sent items ${known.items + 1} and following, whose Idempotency-Key has expired: they may be done already. Check that with the lookups or contributions of your account, then add --send-again.`,
      );
    const state = known ?? {
      run_id: randomUUID(),
      fingerprint,
      chunks: 0,
      items: 0,
      bytes: 0,
      sending_since: null,
      owner: null,
      is_done: false,
    };
    if (!known) begin(stateFile, state);
    const output = openSync(file, known && existsSync(file) ? 'r+' : 'w', 0o600);
    const opened = new ResumableOutput(file, stateFile, output, state);
    // A chunk that is sent again on purpose has a new key from now on.
    if (known && isExpired(known)) opened.save({ run_id: randomUUID(), sending_since: null });
    return opened;
  }

  get runId(): string {
    return this.state.run_id;
  }
  get chunks(): number {
    return this.state.chunks;
  }
  get items(): number {
    return this.state.items;
  }
  get isDone(): boolean {
    return this.state.is_done;
  }

  /** Notes that the next chunk is about to be sent. @throws UsageError if another process continues the run */
  sending(): void {
    const { owner, sending_since, bytes } = this.state;
    if (owner === this.owner && sending_since !== null) return;
    this.save({ owner: this.owner, sending_since: sending_since ?? new Date().toISOString() });
    if (owner !== this.owner) ftruncateSync(this.output, bytes);
  }

  /** Writes the results of a chunk as JSON lines. @throws UsageError if another process continues the run */
  write(results: readonly object[], items: number): void {
    this.assertUnchanged();
    const lines = Buffer.from(results.map((result) => `${JSON.stringify(result)}\n`).join(''));
    for (let written = 0; written < lines.length;)
      written += writeSync(this.output, lines, written, lines.length - written, this.state.bytes + written);
    fsyncSync(this.output);
    this.save({ chunks: this.state.chunks + 1, items, bytes: this.state.bytes + lines.length, sending_since: null });
  }

  done(): void {
    this.save({ is_done: true });
  }

  /** Closes the output. One for which nothing was sent, by another process neither, is removed, so that another command may have it. */
  close(): void {
    closeSync(this.output);
    const { chunks, sending_since } = stateIn(this.stateFile) ?? this.state;
    if (chunks > 0 || sending_since !== null) return;
    for (const file of [this.file, this.stateFile]) rmSync(file, { force: true });
  }

  /** Replaces the state as a whole, so that no end of the process leaves half of one. */
  private save(changes: Partial<State>): void {
    this.assertUnchanged();
    this.state = { ...this.state, ...changes };
    const draft = `${this.stateFile}.new`;
    writeFileSync(draft, JSON.stringify(this.state), { mode: 0o600, flush: true });
    renameSync(draft, this.stateFile);
  }

  /**
   * Another process may write between this check and what follows it. Both then write the same results at the same place, because they send
   * the same chunk with the same key, and one of them finds the other's state before its next chunk.
   */
  private assertUnchanged(): void {
    const found = stateIn(this.stateFile);
    if (JSON.stringify(found) === JSON.stringify(this.state)) return;
    throw new UsageError(
      `${this.stateFile} was changed by another process, which continues this run. This one has stopped; nothing is done or charged twice.`,
    );
  }
}

/** Returns the state of a run; undefined if it was not begun. @throws UsageError if the file is no state */
function stateIn(stateFile: string): State | undefined {
  if (!existsSync(stateFile)) return undefined;
  try {
    return JSON.parse(readFileSync(stateFile, 'utf8')) as State;
  } catch (error) {
    throw new UsageError(`${stateFile} cannot be read (${(error as Error).message}). Put it back, or name another file with --out.`);
  }
}

/** Creates the state. Of two processes that begin at once, one fails: with two runs, each item would be charged twice. */
function begin(stateFile: string, state: State): void {
  try {
    writeFileSync(stateFile, JSON.stringify(state), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new UsageError(`${stateFile} was created meanwhile: another process has begun this run. Wait until it has ended.`);
  }
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

function isExpired({ sending_since }: State): boolean {
  return sending_since !== null && Date.now() - Date.parse(sending_since) > KEPT_MS;
}

/** Returns a hash of the options and of the content of a file. */
export async function fingerprintOf(options: readonly unknown[], file: string): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(options));
  for await (const part of createReadStream(file)) hash.update(part as Buffer);
  return hash.digest('hex');
}
