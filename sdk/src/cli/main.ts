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

const terminal = {
  env: process.env,
  signal: controller.signal,
  fetch: globalThis.fetch,
  print: (line: string) => void process.stdout.write(`${line}\n`),
};
const exitCode = await run(process.argv.slice(2), terminal, (line) => void process.stderr.write(`${line}\n`));
process.exitCode ??= exitCode;
