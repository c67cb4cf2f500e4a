import { readFileSync } from 'node:fs';

/** Settings that hold a secret: each may come from a file, named by the same variable with `_FILE` behind. */
export const SECRET_SETTINGS = ['ADMIN_TOKEN', 'AUDITOR_TOKEN', 'MASTER_KEY', 'DATABASE_URL', 'EVENT_STORE_URL'] as const;

export type Environment = Readonly<Record<string, string | undefined>>;

/** What the environment's `_FILE` variables name, as container engines mount secrets. Every sentence names a variable; none repeats what a file holds. */
export function secretsFromFiles(env: Environment): { readonly found: Environment; readonly sentences: readonly string[] } {
  const found: Record<string, string> = {};
  const sentences: string[] = [];
  for (const name of SECRET_SETTINGS) {
    const path = env[`${name}_FILE`]?.trim();
    if (!path) continue;
    if (env[name]?.trim()) {
      sentences.push(`${name} and ${name}_FILE are both set: leave one of them out.`);
      continue;
    }
    try {
      const text = readFileSync(path, 'utf8').trim();
      if (text === '') sentences.push(`${name}_FILE is wrong: ${path} is empty.`);
      found[name] = text;
    } catch (error) {
      sentences.push(`${name}_FILE is wrong: ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
    }
  }
  return { found, sentences };
}
