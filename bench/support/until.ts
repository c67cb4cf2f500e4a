import { setTimeout as delay } from 'node:timers/promises';

export interface Wait {
  readonly everyMs: number;
  readonly giveUpMs: number;
  /** What is said on giving up. */
  readonly otherwise: string;
}

/** Until something holds, which is looked at again and again. @throws Error where it does not in time */
export async function until(holds: () => boolean | Promise<boolean>, { everyMs, giveUpMs, otherwise }: Wait): Promise<void> {
  const deadline = Date.now() + giveUpMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(otherwise);
    await delay(everyMs);
  }
}
