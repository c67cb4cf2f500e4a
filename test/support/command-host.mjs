// Runs commands of the command line, one after another, in this process: a process for each would load and compile the same modules again,
// which takes three quarters of a second of processor time. The parent sends `{ run, args, env }` and finds the end of each run in both
// outputs, as `\0<run> <exit code>\0`, or `\0<run> <exit code> last\0` where the command ends this process because something failed.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL, URL } from 'node:url';

const CLI = resolve('dist/src/cli.js');
// The entry point imports this module last; it runs the command of process.argv when it is evaluated.
const [, chunk] = /await import\("(.*\/command-line-[^"]*)"\)/.exec(readFileSync(CLI, 'utf8')) ?? [];
if (chunk === undefined) throw new Error(`${CLI} does not import the command line. Build first: npm run build.`);
const COMMAND_LINE = new URL(chunk, pathToFileURL(CLI)).href;
/** The exit code of wrong usage, which is found before anything is opened. */
const WRONG_USAGE = 2;

const { exit } = process;
let running = 0;

function printEnd(text) {
  for (const stream of [process.stdout, process.stderr]) stream.write(`\0${running} ${text}\0`);
}

/** Ends only the run where that leaves nothing behind. A store that failed to start may leave timers and connections. */
process.exit = (code = process.exitCode ?? 0) => {
  if (code === WRONG_USAGE) throw Object.assign(new Error('The command has ended.'), { exitCode: code });
  printEnd(`${code} last`);
  exit(code);
};

/** Commands add listeners to these. In a process of their own they would go with it at its end. */
const HEARD = [
  [process.stdout, 'error'],
  [process.stderr, 'error'],
  ...['SIGINT', 'SIGTERM', 'SIGHUP', 'warning', 'unhandledRejection', 'uncaughtException'].map((name) => [process, name]),
];

process.on('message', async ({ run, args, env }) => {
  running = run;
  const before = HEARD.map(([emitter, name]) => emitter.rawListeners(name));
  process.env = env;
  process.argv = [process.execPath, CLI, ...args];
  process.exitCode = undefined;
  const code = await import(`${COMMAND_LINE}?run=${run}`).then(
    () => process.exitCode ?? 0,
    (error) => {
      if (error.exitCode === undefined) throw error;
      return error.exitCode;
    },
  );
  process.exitCode = undefined;
  for (const [index, [emitter, name]] of HEARD.entries())
    for (const added of emitter.rawListeners(name).filter((each) => !before[index].includes(each))) emitter.off(name, added);
  printEnd(code);
});
process.on('disconnect', () => exit(0));
