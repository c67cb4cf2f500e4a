import { type Finding } from '../../cli/runtime.js';

export { type Finding };

export const ok = (check: string, found: string): Finding => ({ check, status: 'ok', found });
export const warning = (check: string, found: string, todo: string): Finding => ({ check, status: 'warning', found, todo });
export const failure = (check: string, found: string, todo: string): Finding => ({ check, status: 'failure', found, todo });

/** A check that cannot be made has failed. */
export async function attempt(check: string, todo: string, work: () => Promise<Finding | readonly Finding[]>): Promise<readonly Finding[]> {
  try {
    return [await work()].flat();
  } catch (error) {
    return [failure(check, reasonOf(error), todo)];
  }
}

/** A refused connection to several addresses of one name has no message of its own. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
