import { type Clock } from '../../../../kernel/clock.js';

/** Reports an outage of the event store once when it begins and once when it is over, however many calls fail meanwhile. */
export class Outage {
  private startedMs: number | undefined;
  private resentAppends = 0;
  private unknownAppends = 0;

  constructor(
    private readonly clock: Clock,
    private readonly report: (message: string) => void,
  ) {}

  /** Records a failed call. */
  began(error: unknown): void {
    if (this.startedMs !== undefined) return;
    this.startedMs = this.clock.elapsedMs();
    this.resentAppends = 0;
    this.report(`the event store does not serve this process (${describe(error)}); appends are sent again until it does`);
  }

  /** Records that an append has an unknown outcome. Returns a function to call when its outcome is known. */
  appendUnknown(): () => void {
    this.resentAppends += 1;
    this.unknownAppends += 1;
    return () => {
      this.unknownAppends -= 1;
    };
  }

  /** Records a response. The outage is over when no append has an unknown outcome. */
  responded(): void {
    if (this.startedMs === undefined || this.unknownAppends > 0) return;
    const seconds = ((this.clock.elapsedMs() - this.startedMs) / 1_000).toFixed(1);
    this.startedMs = undefined;
    this.report(`the event store is back after ${seconds} s; ${this.resentAppends} appends were sent again`);
  }
}

export function describe(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}
