import { once } from 'node:events';
import { parentPort, Worker } from 'node:worker_threads';

/**
 * Does one piece of work after another in a thread of its own, which starts with the first one, so that the calls which the process serves do
 * not wait for it. It ends when it is disposed of.
 */
export class WorkThread<Work, Result> implements Disposable {
  private worker: Worker | undefined;
  private readonly ending = new AbortController();

  /**
   * @param module the module that the thread runs, which calls {@link doWork}
   * @param maxHeapMb mebibytes of the thread's heap; without a limit, V8 lets garbage grow to a multiple before it collects it
   */
  constructor(
    private readonly module: URL,
    private readonly maxHeapMb: number,
  ) {}

  /** Returns the result, once the work before was done. @throws Error if the thread fails, or was ended */
  async do(work: Work): Promise<Result> {
    const { signal } = this.ending;
    signal.throwIfAborted();
    this.worker ??= new Worker(this.module, { resourceLimits: { maxOldGenerationSizeMb: this.maxHeapMb } });
    const done = once(this.worker, 'message', { signal });
    this.worker.postMessage(work);
    const [result] = (await done) as [Result];
    return result;
  }

  [Symbol.dispose](): void {
    this.ending.abort();
    void this.worker?.terminate();
  }
}

/**
 * Does the work of a {@link WorkThread} in this thread. An error ends the thread, and the caller gets it.
 * @param movedOf the memory of a result that is handed over instead of copied
 */
export function doWork<Result>(work: (given: never) => Promise<Result>, movedOf: (result: Result) => ArrayBuffer[] = () => []): void {
  parentPort?.on('message', (given: unknown) => {
    void work(given as never).then((result) => parentPort?.postMessage(result, movedOf(result)));
  });
}
