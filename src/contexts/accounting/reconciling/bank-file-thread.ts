import { ApiError } from '../../../http/errors/api-error.js';
import { type FieldErrors, ValidationFailed } from '../../../kernel/validation-failed.js';
import { type CallEnd, CallEnded, Shares } from '../../../platform/database/sharing/shares.js';
import { currentRequest } from '../../../platform/tracing/request-context.js';
import { WorkThread } from '../../../platform/work-thread.js';
import { type BankColumns, type Table } from '../domain/reconciling/bank-columns.js';
import { type BankRows } from '../domain/reconciling/bank-rows.js';
import { type ReconcileOptions } from '../domain/reconciling/candidates.js';
import { type Movement } from '../domain/reconciling/movements.js';
import { type Reconciliation } from '../domain/reconciling/reconcile.js';
import { type BankFile } from './bank-file.js';

export type BankWork =
  | { readonly kind: 'beginnings'; readonly bytes: Uint8Array }
  | { readonly kind: 'rows'; readonly bytes: Uint8Array; readonly columns: BankColumns }
  | {
      readonly kind: 'reconciliation';
      readonly file: BankRows;
      readonly movements: readonly Movement[];
      readonly options: ReconcileOptions;
    };

export type BankDone = { readonly result: unknown } | { readonly refused: FieldErrors };

const MAX_HEAP_MB = 512;
const TURN_MS = 30_000;
const TOO_MANY = 'Another bank’s file is being read, and a process reads one at a time. Please retry later.';
/** One file is read at a time, because a large one occupies a core for seconds. */
const turns = new Shares(1, 1, TURN_MS);

/**
 * Reads a bank's file and compares it with the books in a thread of its own: the largest files, and files that were made for it, take seconds of
 * processor time, for which lookups would wait.
 */
export class BankFileThread implements Disposable {
  private readonly thread = new WorkThread<BankWork, BankDone>(new URL('./bank-file.worker.js', import.meta.url), MAX_HEAP_MB);

  private constructor(
    private readonly giveBack: () => void,
    private readonly call: CallEnd | undefined,
  ) {}

  /** Starts a thread when it is the caller's turn. @throws ApiError `unavailable` if others' files take longer than 30 s; CallEnded */
  static async inTurn(): Promise<BankFileThread> {
    const call = currentRequest()?.call;
    const giveBack = await turns.take(call?.caller ?? '', call).catch((error: unknown) => {
      throw error instanceof CallEnded ? error : new ApiError('unavailable', { message: TOO_MANY });
    });
    const thread = new BankFileThread(giveBack, call);
    call?.onEnd(() => {
      thread[Symbol.dispose]();
    });
    return thread;
  }

  /** Returns the first rows of each table, by which a person chooses the columns. @throws ValidationFailed if the file cannot be read */
  async beginnings(bytes: Uint8Array): Promise<readonly Table[]> {
    return (await this.do({ kind: 'beginnings', bytes })) as readonly Table[];
  }

  /** Returns the rows of the first table that has the columns. @throws ValidationFailed with a sentence that names the columns of the file */
  async rows(bytes: Uint8Array, columns: BankColumns): Promise<BankFile> {
    const { date, reference, amount, credit, debit } = columns;
    return (await this.do({ kind: 'rows', bytes, columns: { date, reference, amount, credit, debit } })) as BankFile;
  }

  async reconciliation(file: BankRows, movements: readonly Movement[], options: ReconcileOptions): Promise<Reconciliation> {
    return (await this.do({ kind: 'reconciliation', file, movements, options })) as Reconciliation;
  }

  [Symbol.dispose](): void {
    this.thread[Symbol.dispose]();
    this.giveBack();
  }

  private async do(work: BankWork): Promise<unknown> {
    const done = await this.thread.do(work).catch((error: unknown) => {
      if (this.call?.ended) throw new CallEnded();
      if ((error as NodeJS.ErrnoException).code !== 'ERR_WORKER_OUT_OF_MEMORY') throw error;
      throw new ValidationFailed({ file: ['The file takes too much memory. Send the file of a shorter period.'] });
    });
    if ('refused' in done) throw new ValidationFailed(done.refused);
    return done.result;
  }
}
