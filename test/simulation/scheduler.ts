interface Task {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/**
 * The only clock and the only queue of a history: what is due first runs first, and all that it sets off is done before the next.
 * Nothing in a history waits for real time or real input, so that the order of everything follows from the seed.
 */
export class Scheduler {
  /** ms since the history began. */
  now = 0;
  private order = 0;
  private readonly heap: Task[] = [];

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

  /** Runs what is due up to then, and what becomes due meanwhile. */
  async runUntil(time: number): Promise<void> {
    // What was begun just now may not have come to its first wait yet.
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

/** Once no promise is left that could go on by itself. */
async function idle(): Promise<void> {
  await new Promise<void>((resolve) => {
    setImmediate(resolve);
  });
}
