import { createInterface } from 'node:readline/promises';
import { run } from './run.js';

const controller = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    controller.abort(new Error(`Stopped by ${name}.`));
  });

// A reader that is gone, as in `rupa-client listen … | head`, ends the command as Ctrl-C does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && process.exitCode !== 1) {
    process.exitCode = 1;
    process.stderr.write(`Standard output cannot be written: ${error.message}\n`);
  }
  controller.abort(error);
});

let shownLength = 0;
/** Replaces the last line of the terminal. */
const showProgress = (text: string): void => {
  const line = text.slice(0, Math.max(20, process.stdout.columns - 1));
  process.stdout.write(`\r${line.padEnd(shownLength)}`);
  shownLength = line.length;
};
const endProgress = (): void => {
  if (shownLength > 0) process.stdout.write('\n');
  shownLength = 0;
};
const ask = async (question: string): Promise<string> => {
  const reader = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await reader.question(question, { signal: controller.signal });
  } finally {
    reader.close();
  }
};

const terminal = {
  ...(process.stdout.isTTY ? { showProgress, endProgress } : {}),
  ...(process.stdin.isTTY && process.stdout.isTTY ? { ask } : {}),
  env: process.env,
  signal: controller.signal,
  fetch: globalThis.fetch,
  print: (line: string) => void process.stdout.write(`${line}\n`),
};
const exitCode = await run(process.argv.slice(2), terminal, (line) => void process.stderr.write(`${line}\n`));
process.exitCode ??= exitCode;
