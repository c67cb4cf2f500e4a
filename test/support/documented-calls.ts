import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A command of a guide that is followed by its response. */
export interface DocumentedCall {
  readonly command: string;
  readonly response: unknown;
}

const CALL = /```sh\n([^`]+)```\n\n```json\n([^`]+)```/g;

/** Returns the commands of a page that a response follows, in their order. */
export function documentedCalls(page: string): DocumentedCall[] {
  return [...readFileSync(page, 'utf8').matchAll(CALL)].map(([, command = '', response = '']) => ({
    command,
    response: JSON.parse(response) as unknown,
  }));
}

/** Runs a command as a partner pastes it, and returns the JSON that it prints. @throws Error with the code ENOENT if there is no shell */
export function runCall(command: string, variables: { readonly RUPA_URL: string; readonly RUPA_API_KEY: string }): unknown {
  const output = execFileSync('sh', ['-c', command], { encoding: 'utf8', env: { PATH: process.env.PATH, ...variables } });
  return JSON.parse(output);
}

/**
 * Returns where two JSON values have other fields or fields of another type. Values may differ. A null, and the items of an empty list, are
 * compared with nothing; of a list the first items are compared.
 */
export function differences(documented: unknown, actual: unknown, at = 'response'): string[] {
  if (documented === null || actual === null) return [];
  if (Array.isArray(documented) && Array.isArray(actual))
    return documented.length > 0 && actual.length > 0 ? differences(documented[0], actual[0], `${at}[0]`) : [];
  if (kindOf(documented) !== kindOf(actual)) return [`${at} is documented as ${kindOf(documented)}, and is ${kindOf(actual)}`];
  if (typeof documented !== 'object') return [];
  const [expected, found] = [documented as Record<string, unknown>, actual as Record<string, unknown>];
  return [...new Set([...Object.keys(expected), ...Object.keys(found)])].flatMap((key) => {
    if (!(key in found)) return [`${at}.${key} is documented, but missing`];
    if (!(key in expected)) return [`${at}.${key} is not documented`];
    return differences(expected[key], found[key], `${at}.${key}`);
  });
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : typeof value;
}
