import { run } from './run.js';

const controller = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const)
  process.once(name, () => {
    controller.abort(new Error(`Stopped by ${name}.`));
  });

const terminal = {
  env: process.env,
  signal: controller.signal,
  fetch: globalThis.fetch,
  print: (line: string) => void process.stdout.write(`${line}\n`),
};
process.exitCode = await run(process.argv.slice(2), terminal, (line) => void process.stderr.write(`${line}\n`));
