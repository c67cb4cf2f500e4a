import dotenv from 'dotenv';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { NotUtf8, textOf } from '../platform/utf8.js';
import { type Environment } from './files.js';
import { SettingsInvalid } from './read.js';

/**
 * Returns the environment after adding the variables of the file `.env` that are not set, also for code that reads `process.env` itself.
 * @throws SettingsInvalid if the file exists and cannot be read as text
 */
export function environment(path = resolve('.env'), env: NodeJS.ProcessEnv = process.env): Environment {
  dotenv.populate(env, dotenv.parse(contentOf(path)));
  return env;
}

function contentOf(path: string): string {
  try {
    const text = textOf(readFileSync(path));
    // UTF-16 without a byte order mark is UTF-8 of every other character.
    if (!text.includes('\0')) return text;
  } catch (error) {
    const { code = 'unknown' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return '';
    if (!(error instanceof NotUtf8)) throw new SettingsInvalid([`${path} cannot be read (${code}). Mend its access, or remove it.`]);
  }
  throw new SettingsInvalid([`${path} is not UTF-8, so its settings cannot be read. Save the file as UTF-8.`]);
}
