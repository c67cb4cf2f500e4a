import { afterAll } from '@jest/globals';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

const PROGRAM = 'test/support/command-host.mjs';

export interface ProcessResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** A process that runs commands one after another (command-host.mjs). It starts with the first and ends with the spec file. */
export class CommandHost {
  private process: ChildProcess | undefined;
  private runs = 0;
  private isRunning = false;

  constructor() {
    afterAll(() => this.end());
  }

  get isBusy(): boolean {
    return this.isRunning;
  }

  /** @param env the whole environment of the command */
  async run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<ProcessResult> {
    this.isRunning = true;
    this.runs += 1;
    try {
      const host = (this.process ??= this.start());
      const run = this.runs;
      const ended = Promise.all([untilEnd(host.stdout, run), untilEnd(host.stderr, run)]);
      host.send({ run, args, env });
      const [out, err] = await ended;
      if (out.isLast) await this.end();
      return { code: out.code, out: out.text, err: err.text };
    } finally {
      this.isRunning = false;
    }
  }

  private start(): ChildProcess {
    const started = fork(PROGRAM, { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    for (const stream of [started.stdout, started.stderr]) stream?.setEncoding('utf8');
    return started;
  }

  private async end(): Promise<void> {
    const { process: host } = this;
    this.process = undefined;
    if (host?.exitCode !== null || host.signalCode !== null) return;
    const exited = once(host, 'exit');
    if (host.connected) host.disconnect();
    await exited;
  }
}

interface Output {
  readonly text: string;
  readonly code: number;
  /** Whether the process ends with this run. */
  readonly isLast: boolean;
}

/** Collects an output until it says that the run has ended. @throws Error if the process ends before that */
async function untilEnd(stream: ChildProcess['stdout'], run: number): Promise<Output> {
  const end = new RegExp(`\\x00${run} (\\d+)( last)?\\x00$`);
  let text = '';
  return await new Promise((resolve, reject) => {
    const read = (part: string): void => {
      text += part;
      const found = end.exec(text);
      if (!found) return;
      settle();
      resolve({ text: text.slice(0, found.index), code: Number(found[1]), isLast: found[2] !== undefined });
    };
    const fail = (): void => {
      settle();
      reject(new Error(`The host of commands ended during one:\n${text}`));
    };
    const settle = (): void => void stream?.off('data', read).off('close', fail);
    stream?.on('data', read).on('close', fail);
  });
}
