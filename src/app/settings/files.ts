import { readFileSync } from 'node:fs';
import { fileVariable, type Variable } from './variable.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the files that the `_FILE` variables name, which is how container engines mount secrets. The error sentences never quote a file.
 */
export function secretsFromFiles(
  env: Environment,
  secrets: readonly Variable<unknown>[],
): { readonly found: Environment; readonly sentences: readonly string[] } {
  const found: Record<string, string> = {};
  const sentences: string[] = [];
  for (const secret of secrets) {
    const { name } = secret;
    const inFile = fileVariable(secret);
    const path = env[inFile]?.trim();
    if (!path) continue;
    if (env[name]?.trim()) {
      sentences.push(`${name} and ${inFile} are both set: remove one of them.`);
      continue;
    }
    try {
      const text = readFileSync(path, 'utf8').trim();
      if (text === '') sentences.push(`${inFile} is wrong: ${path} is empty.`);
      found[name] = text;
    } catch (error) {
      sentences.push(`${inFile} is wrong: ${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
    }
  }
  return { found, sentences };
}
