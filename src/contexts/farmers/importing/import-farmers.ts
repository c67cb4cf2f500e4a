import { ErrorResponses } from '../../../http/errors/error-responses.js';
import { validateBody } from '../../../http/validating/validation.js';
import { parseJson } from '../../../kernel/json.js';
import { ValidationFailed } from '../../../kernel/validation-failed.js';
import { ImportFarmerDto } from '../recording/farmer-record.dto.js';
import { UnreadableLine } from './json-lines.js';
import { RecordFarmer, type RecordedFarmer } from '../recording/record-farmer.command.js';
import { farmerRejectionResponses } from '../rejection-responses.js';

const errorResponses = new ErrorResponses([farmerRejectionResponses]);

export interface ImportResult {
  readonly registered: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
  /** Number of the last line that was processed, as were all before it. */
  readonly lastLine: number;
}

export interface ImportOptions {
  readonly actor: string;
  /** Called with the number (from 1) of a line that is refused, and the reason. The import continues. */
  readonly onRejected: (line: number, reason: string) => void;
  /** Executes the command of a line. */
  readonly record: (command: RecordFarmer) => Promise<RecordedFarmer>;
  /** Returns which of these farmers have no stream yet, as far as is known. Their streams are not read before the append. */
  readonly unknownOf?: (rupaIds: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Called after each line, also a refused or blank one. */
  readonly onLine?: () => void;
  /** Number of the first line to process; the lines before it are skipped. */
  readonly fromLine?: number;
  /** Aborting it ends the import after the lines that were begun. */
  readonly signal?: AbortSignal;
}

type Line = string | UnreadableLine;
type Outcome = 'registered' | 'updated' | 'unchanged' | 'refused' | 'blank';

/** Lines that are read and validated together, with one query for the farmers that are known. */
const LINES_PER_CHUNK = 64;
/** Lines that are recorded concurrently: enough for appends and key-store statements to be batched. */
const MAX_CONCURRENT_LINES = 256;

interface NumberedLine {
  readonly number: number;
  readonly line: Line;
}

/**
 * Registers or updates farmers. Each line is a JSON object with the body of PUT /farmers and a `rupa_id`. Lines about the same farmer are
 * recorded in order. @throws errors of the stores. Some lines may then be unprocessed; running the import again is safe.
 */
export async function importFarmers(lines: AsyncIterable<Line> | Iterable<Line>, options: ImportOptions): Promise<ImportResult> {
  const work = new ConcurrentLines(options);
  let lastLine = (options.fromLine ?? 1) - 1;
  for await (const chunk of chunksOf(lines, options.fromLine ?? 1)) {
    if (options.signal?.aborted) break;
    await work.begin(chunk);
    lastLine = chunk.at(-1)?.number ?? lastLine;
    await work.untilAtMost(MAX_CONCURRENT_LINES - LINES_PER_CHUNK);
  }
  await work.untilAtMost(0);
  const { registered, updated, unchanged, refused } = work.counts;
  return { registered, updated, unchanged, refused, lastLine };
}

async function* chunksOf(lines: AsyncIterable<Line> | Iterable<Line>, fromLine: number): AsyncGenerator<readonly NumberedLine[]> {
  let chunk: NumberedLine[] = [];
  let number = 0;
  for await (const line of lines) {
    number += 1;
    if (number < fromLine) continue;
    chunk.push({ number, line });
    if (chunk.length < LINES_PER_CHUNK) continue;
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
}

/** Records lines concurrently, those about the same farmer one after another, and counts the outcomes. */
class ConcurrentLines {
  readonly counts: Record<Outcome, number> = { registered: 0, updated: 0, unchanged: 0, refused: 0, blank: 0 };
  private readonly lastRecordingOf = new Map<string, Promise<unknown>>();
  private running = 0;
  private failure: Error | undefined;
  private wake: (() => void) | undefined;

  constructor(private readonly options: ImportOptions) {}

  /** Begins to record the lines of a chunk. */
  async begin(chunk: readonly NumberedLine[]): Promise<void> {
    const farmers = chunk.map((line) => ({ ...line, farmer: this.validated(line) }));
    const rupaIds = farmers.flatMap(({ farmer }) => (typeof farmer === 'object' ? [farmer.rupa_id] : []));
    const unknown = (await this.options.unknownOf?.(rupaIds)) ?? new Set<string>();
    for (const { number, farmer } of farmers) {
      if (typeof farmer === 'object') this.run(number, farmer, unknown.has(farmer.rupa_id));
      else this.ended(farmer);
    }
  }

  /** Waits until at most `count` lines are being recorded. @throws the first error of a store */
  async untilAtMost(count: number): Promise<void> {
    while (this.running > (this.failure === undefined ? count : 0)) await new Promise<void>((resolve) => (this.wake = resolve));
    if (this.failure !== undefined) throw this.failure;
  }

  private validated({ number, line }: NumberedLine): ImportFarmerDto | 'blank' | 'refused' {
    if (line instanceof UnreadableLine) return this.refused(number, line.reason);
    if (line.trim() === '') return 'blank';
    try {
      return validateBody(ImportFarmerDto, parse(line));
    } catch (error) {
      return this.refused(number, reasonOf(error) ?? fail(error));
    }
  }

  private run(number: number, farmer: ImportFarmerDto, isNew: boolean): void {
    this.running += 1;
    void this.record(number, farmer, isNew)
      .then((outcome) => {
        this.ended(outcome);
      })
      .catch((error: unknown) => {
        this.failure ??= error instanceof Error ? error : new Error(String(error));
      })
      .finally(() => {
        this.running -= 1;
        this.wake?.();
      });
  }

  private async record(number: number, farmer: ImportFarmerDto, isNew: boolean): Promise<Outcome> {
    const { rupa_id } = farmer;
    const previous = this.lastRecordingOf.get(rupa_id)?.catch(() => undefined);
    const command = new RecordFarmer(rupa_id, farmer, this.options.actor, { isNew: isNew && !previous });
    const recording = previous ? previous.then(() => this.options.record(command)) : this.options.record(command);
    this.lastRecordingOf.set(rupa_id, recording);
    try {
      const { created, changed } = await recording;
      return created ? 'registered' : changed ? 'updated' : 'unchanged';
    } catch (error) {
      return this.refused(number, reasonOf(error) ?? fail(error));
    } finally {
      if (this.lastRecordingOf.get(rupa_id) === recording) this.lastRecordingOf.delete(rupa_id);
    }
  }

  private refused(number: number, reason: string): 'refused' {
    this.options.onRejected(number, reason);
    return 'refused';
  }

  private ended(outcome: Outcome): void {
    this.counts[outcome] += 1;
    this.options.onLine?.();
  }
}

function parse(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    throw new ValidationFailed({ line: ['It is not valid JSON.'] });
  }
}

function reasonOf(error: unknown): string | undefined {
  if (error instanceof ValidationFailed) return error.sentences.join(' ');
  return errorResponses.to(error)?.message;
}

function fail(error: unknown): never {
  throw error;
}
