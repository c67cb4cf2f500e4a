/** Runs some work at an interval, and never twice at a time: a run that takes longer than the interval delays the next one. */
export class RepeatedWork {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private isStopped = false;

  /** @param onFailure is told why a run failed; the next one comes at its time */
  constructor(
    private readonly everyMs: number,
    private readonly work: () => Promise<void>,
    private readonly onFailure: (error: unknown) => void,
  ) {}

  /** The first run comes after the interval. A start that a stop has overtaken does nothing: it would keep the process alive. */
  start(): void {
    if (this.isStopped) return;
    this.timer = setInterval(() => {
      this.running ??= this.work()
        .catch(this.onFailure)
        .finally(() => {
          this.running = undefined;
        });
    }, this.everyMs);
  }

  /** Waits for the run under way. */
  async stop(): Promise<void> {
    this.isStopped = true;
    clearInterval(this.timer);
    await this.running;
  }
}
