import { ErrorResponses } from '../../http/error-responses.js';
import { validateBody } from '../../http/validation.js';
import { parseJson } from '../../kernel/json.js';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { ImportFarmerDto, recordOf } from './farmer-record.dto.js';
import { UnreadableLine } from './json-lines.js';
import { RecordFarmer, type RecordedFarmer } from './record-farmer.command.js';
import { farmerRejectionResponses } from './rejection-responses.js';

const errorResponses = new ErrorResponses([farmerRejectionResponses]);

export interface ImportResult {
  readonly registered: number;
  readonly updated: number;
  readonly unchanged: number;
  readonly refused: number;
}

export interface ImportOptions {
  readonly actor: string;
  /** Called with the number (from 1) of a line that is refused, and the reason. The import continues. */
  readonly onRejected: (line: number, reason: string) => void;
  /** Executes the command of a line. */
  readonly record: (command: RecordFarmer) => Promise<RecordedFarmer>;
  /** Called after each line, also a refused or blank one. */
  readonly onLine?: () => void;
}

type Line = string | UnreadableLine;
type Outcome = 'registered' | 'updated' | 'unchanged' | 'refused' | 'blank';

/** Lines that are processed concurrently: enough for appends and key-store statements to be batched. */
const MAX_CONCURRENT_LINES = 64;

/**
 * Registers or updates farmers. Each line is a JSON object with the body of PUT /farmers and a `rupa_id`. Lines about the same farmer are
 * recorded in order. @throws errors of the stores. Some lines may then be unprocessed; running the import again is safe.
 */
export async function importFarmers(lines: AsyncIterable<Line> | Iterable<Line>, options: ImportOptions): Promise<ImportResult> {
  const counts: Record<Outcome, number> = { registered: 0, updated: 0, unchanged: 0, refused: 0, blank: 0 };
  const running = new Set<Promise<void>>();
  const lastRecordingOf = new Map<string, Promise<unknown>>();
  let failure: Error | undefined;
  let number = 0;
  for await (const line of lines) {
    number += 1;
    const task = importLine(line, number, lastRecordingOf, options)
      .then((outcome) => {
        counts[outcome] += 1;
        options.onLine?.();
      })
      .catch((error: unknown) => {
        failure ??= error instanceof Error ? error : new Error(String(error));
      })
      .finally(() => running.delete(task));
    running.add(task);
    if (running.size >= MAX_CONCURRENT_LINES) await Promise.race(running);
    if (failure !== undefined) break;
  }
  await Promise.all(running);
  if (failure !== undefined) throw failure;
  const { registered, updated, unchanged, refused } = counts;
  return { registered, updated, unchanged, refused };
}

async function importLine(
  line: Line,
  number: number,
  lastRecordingOf: Map<string, Promise<unknown>>,
  options: ImportOptions,
): Promise<Outcome> {
  if (line instanceof UnreadableLine) {
    options.onRejected(number, line.reason);
    return 'refused';
  }
  if (line.trim() === '') return 'blank';
  try {
    const farmer = validateBody(ImportFarmerDto, parse(line));
    const { rupa_id, mode } = farmer;
    const previous = lastRecordingOf.get(rupa_id);
    const recording = (previous?.catch(() => undefined) ?? Promise.resolve()).then(() =>
      options.record(new RecordFarmer(rupa_id, mode ?? undefined, recordOf(farmer), options.actor, false)),
    );
    lastRecordingOf.set(rupa_id, recording);
    const { created, changed } = await recording.finally(() => {
      if (lastRecordingOf.get(rupa_id) === recording) lastRecordingOf.delete(rupa_id);
    });
    return created ? 'registered' : changed ? 'updated' : 'unchanged';
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    options.onRejected(number, reason);
    return 'refused';
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
