interface Task {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * The only clock and the only task queue of a history. Tasks run in the order of their times, and each runs together with all promises that
 * it resolves before the next one starts. No part of a history waits for real time or real input, so the seed determines the whole order.
 */
export class Scheduler {
  /** Milliseconds since the history began. */
  now = 0;
  /** Milliseconds by which every clock of the world was set ahead together, as if nothing had happened for so long. Nothing becomes due by it. */
  leaptMs = 0;
  private order = 0;
  private readonly heap: Task[] = [];

  /** Milliseconds of the world's own clock since the history began. */
  get time(): number {
    return this.now + this.leaptMs;
  }

  after(ms: number, run: () => void): void {
    const task = { at: this.now + Math.max(0, ms), order: (this.order += 1), run };
    const { heap } = this;
    let index = heap.push(task) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!before(task, heap[parent] as Task)) break;
      heap[index] = heap[parent] as Task;
      index = parent;
    }
    heap[index] = task;
  }

  /** Runs all tasks that are due up to a time, including those added meanwhile. */
  async runUntil(time: number): Promise<void> {
    // Work that the caller has just started must reach its first wait.
    await idle();
    for (let next = this.heap[0]; next && next.at <= time; next = this.heap[0]) {
      this.removeFirst();
      this.now = next.at;
      next.run();
      await idle();
    }
    this.now = Math.max(this.now, time);
  }

  private removeFirst(): void {
    const { heap } = this;
    const last = heap.pop() as Task;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && before(heap[child + 1] as Task, heap[child] as Task)) child += 1;
      if (!before(heap[child] as Task, last)) break;
      heap[index] = heap[child] as Task;
      index = child;
    }
    heap[index] = last;
  }
}

function before(one: Task, other: Task): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** Resolves when no promise can make progress without a new task. */
async function idle(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}
