import { type IncomingHttpHeaders } from 'node:http';
import { type Dispatcher } from 'undici';
import { StepFailed } from './delivery-failed.js';

const BODY_BYTES_READ = 64 * 1024;

/** A request up to the end of its answer, whose body is read up to 64 KiB and thrown away. */
export class Exchange implements Dispatcher.DispatchHandler {
  status: number | undefined;
  retryAfter: string | string[] | undefined;
  private bytes = 0;
  private controller: Dispatcher.DispatchController | undefined;
  private givenUp: Error | undefined;
  private readonly end = Promise.withResolvers<undefined>();
  private readonly timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.timer = setTimeout(() => {
      this.giveUp(new StepFailed('timeout'));
    }, timeoutMs);
  }

  /** @throws StepFailed when the time is over, even where the client is not at a point where it can break off; else what the client throws */
  async ended(): Promise<void> {
    try {
      await this.end.promise;
    } finally {
      clearTimeout(this.timer);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.givenUp) controller.abort(this.givenUp);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // What comes before the answer is none.
    if (status < 200) return;
    this.status = status;
    this.retryAfter = headers['retry-after'];
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes <= BODY_BYTES_READ) return;
    this.end.resolve(undefined);
    controller.abort(new Error('The rest of the answer is not wanted.'));
  }

  onResponseEnd(): void {
    this.end.resolve(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.end.reject(error);
  }

  private giveUp(reason: Error): void {
    this.givenUp = reason;
    this.end.reject(reason);
    this.controller?.abort(reason);
  }
}
