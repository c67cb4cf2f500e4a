import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { endWithThisProcess } from '../support/end-with-this-process.js';
import { type ProcessResult, run } from '../support/rupa.js';
import { QUIET, temporaryDataDir } from '../support/service.js';
import { freePort } from '../support/starting.js';
import { until } from '../support/until.js';

const CLI = resolve('dist/src/cli.js');
const MAIN = resolve('dist/src/main.js');
/** They print a line, many lines, or an error. */
const COMMANDS = ['--version', '--help', 'partners --help', 'no-such-command', 'doctor'];

describe('output that nobody reads', () => {
  let dataDir: string;
  let release: () => Promise<void>;

  beforeAll(() => {
    ({ dataDir, release } = temporaryDataDir());
  });
  afterAll(() => release());

  const shell = (script: string): Promise<ProcessResult> => run('bash', ['-c', script], { DATA_DIR: dataDir });

  it.each(COMMANDS)('changes neither the exit code nor the errors of rupa %s', async (command) => {
    const rupa = `"${process.execPath}" "${CLI}" ${command}`;
    const read = await shell(`${rupa} >/dev/null; echo $?`);
    const unread = await shell(`${rupa} | true; echo "\${PIPESTATUS[0]}"`);
    expect(unread).toStrictEqual(read);
  });

  it('is reported if the disk is full', async () => {
    const { out, err } = await shell(`"${process.execPath}" "${CLI}" --help >/dev/full; echo $?`);
    expect([out, err]).toStrictEqual([
      '1\n',
      'Standard output cannot be written (ENOSPC: no space left on device, write); what was to be printed there is lost.\n',
    ]);
  });

  it('does not end the service if the log disk is full, and every line that is lost is counted', async () => {
    const [port, metricsPort] = [await freePort(), await freePort()];
    const full = openSync('/dev/full', 'w');
    const service = spawn(process.execPath, [MAIN], {
      env: { ...process.env, ...QUIET, DATA_DIR: dataDir, PORT: String(port), METRICS_PORT: String(metricsPort), LOG_LEVEL: 'debug' },
      stdio: ['ignore', full, full],
    });
    closeSync(full);
    endWithThisProcess(service);
    const ended = once(service, 'exit');
    const text = (address: string): Promise<string> =>
      fetch(address)
        .then((response) => response.text())
        .catch(() => '');
    await until(async () => service.exitCode !== null || (await text(`http://127.0.0.1:${port}/health/ready`)).includes('"ready"'));
    await until(
      async () =>
        service.exitCode !== null || /^rupa_log_lines_dropped_total [1-9]/m.test(await text(`http://127.0.0.1:${metricsPort}/metrics`)),
    );
    expect(service.exitCode).toBeNull();
    service.kill('SIGTERM');
    expect(await ended).toStrictEqual([0, null]);
  });

  it('does not end the service', async () => {
    const port = await freePort();
    const service = spawn(process.execPath, [MAIN], {
      env: { ...process.env, ...QUIET, DATA_DIR: dataDir, PORT: String(port) },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    endWithThisProcess(service);
    const ended = once(service, 'exit');
    service.stdout.destroy();
    service.stderr.destroy();
    const isReady = (): Promise<boolean> =>
      fetch(`http://127.0.0.1:${port}/health/ready`).then(
        ({ status }) => status === 200,
        () => false,
      );
    await until(async () => service.exitCode !== null || (await isReady()));
    expect(service.exitCode).toBeNull();
    service.kill('SIGTERM');
    expect(await ended).toStrictEqual([0, null]);
  });
});
