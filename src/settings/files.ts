import { readFileSync, statSync } from 'node:fs';
import { NotUtf8, textOf } from '../platform/utf8.js';
import { fileVariable, type Variable } from './variable.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** Contents of pipes, such as /dev/fd/3, by their paths: a pipe can be read once, and a command may read its settings again. */
const fromPipes = new Map<string, string>();

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
      const text = contentOf(path);
      if (text === '') sentences.push(`${inFile} is wrong: ${path} is empty.`);
      found[name] = text;
    } catch (error) {
      const reason = error instanceof NotUtf8 ? 'is not UTF-8' : `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`;
      sentences.push(`${inFile} is wrong: ${path} ${reason}.`);
    }
  }
  return { found, sentences };
}

function contentOf(path: string): string {
  const known = fromPipes.get(path);
  if (known !== undefined) return known;
  const text = textOf(readFileSync(path)).trim();
  if (!statSync(path).isFile()) fromPipes.set(path, text);
  return text;
}
