import { type IncomingHttpHeaders } from 'node:http';
import { type Dispatcher } from 'undici';
import { StepFailed } from './delivery-failed.js';

const BODY_BYTES_READ = 64 * 1024;

/** Handles a request up to the end of its response. Reads at most 64 KiB of the response body and discards it. */
export class Exchange implements Dispatcher.DispatchHandler {
  status: number | undefined;
  retryAfter: string | string[] | undefined;
  private bytes = 0;
  private controller: Dispatcher.DispatchController | undefined;
  private abortReason: Error | undefined;
  private readonly end = Promise.withResolvers<undefined>();
  private readonly timer: NodeJS.Timeout;

  constructor(timeoutMs: number) {
    this.timer = setTimeout(() => {
      this.abort(new StepFailed('timeout'));
    }, timeoutMs);
  }

  /**
   * Resolves when the response has ended or enough of its body was read.
   * @throws StepFailed `timeout` at the time limit, even if the HTTP client cannot abort the request at that point
   * @throws the HTTP client's error
   */
  async ended(): Promise<void> {
    try {
      await this.end.promise;
    } finally {
      clearTimeout(this.timer);
    }
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.abortReason) controller.abort(this.abortReason);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    // 1xx responses are interim; the final response follows.
    if (status < 200) return;
    this.status = status;
    this.retryAfter = headers['retry-after'];
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytes += chunk.length;
    if (this.bytes <= BODY_BYTES_READ) return;
    this.end.resolve(undefined);
    controller.abort(new Error('Enough of the response body was read.'));
  }

  onResponseEnd(): void {
    this.end.resolve(undefined);
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.end.reject(error);
  }

  private abort(reason: Error): void {
    this.abortReason = reason;
    this.end.reject(reason);
    this.controller?.abort(reason);
  }
}
