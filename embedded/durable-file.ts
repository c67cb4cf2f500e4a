import { open, rename } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes the file atomically, readable to its owner only. It is on disk when the promise resolves. */
export async function writeFileDurably(path: string, text: string): Promise<void> {
  const temporary = `${path}.tmp`;
  const file = await open(temporary, 'w', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await renameDurably(temporary, path);
}

/** Renames a file or folder. The new name is on disk when the promise resolves. */
export async function renameDurably(from: string, to: string): Promise<void> {
  await rename(from, to);
  const folder = await open(dirname(to), 'r');
  await folder.sync().finally(() => folder.close());
}
