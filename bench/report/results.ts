import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { plotsOf } from './plots.js';
import { type RunReport } from './run-report.js';

const FOLDER = resolve('bench/results');

/** Writes the raw figures and their plots. Returns the path of their folder. */
export async function writeResults(report: RunReport): Promise<string> {
  const folder = join(FOLDER, report.at.replaceAll(/[:.]/g, '-'));
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'run.json'), `${JSON.stringify(report, undefined, 2)}\n`);
  for (const [name, svg] of await plotsOf(report)) await writeFile(join(folder, name), svg);
  return folder;
}
