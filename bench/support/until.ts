import { setTimeout as delay } from 'node:timers/promises';

export interface Wait {
  readonly everyMs: number;
  readonly giveUpMs: number;
  /** Message of the error after the timeout. */
  readonly otherwise: string;
}

/** Polls until the condition holds. @throws Error if it does not hold in time. */
export async function until(holds: () => boolean | Promise<boolean>, { everyMs, giveUpMs, otherwise }: Wait): Promise<void> {
  const deadline = Date.now() + giveUpMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(otherwise);
    await delay(everyMs);
  }
}
