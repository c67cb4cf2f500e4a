import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { plotsOf, RATIOS } from './plots.js';
import { type RunReport } from './run-report.js';
import { cells, describeMachine, HEAD, notesOn, SUMMARY_HEAD, summaryRows, warningsOn } from './table.js';

export const BEGIN = '<!-- last kept run: written by npm run bench -- --keep -->';
export const END = '<!-- end of the last kept run -->';

/**
 * Writes the summary of a run to the page performance.md, and all of the run, with its plots, to the folder beside that page.
 * @param docs folder of the page
 * @returns the paths of the page and of the file with the whole run
 * @throws Error if the page lacks a marker; nothing is written then
 */
export async function keep(report: RunReport, docs = resolve('docs')): Promise<string[]> {
  const [page, folder] = [join(docs, 'performance.md'), join(docs, 'performance')];
  const plots = await plotsOf(report);
  const names = [...plots.keys()];
  const text = replaced(await readFile(page, 'utf8'), summary(report, names));
  await mkdir(folder, { recursive: true });
  for (const [name, svg] of plots) await writeFile(join(folder, name), svg);
  const whole = join(folder, 'last-run.md');
  await writeFile(whole, wholeRun(report, names));
  await writeFile(page, text);
  return [page, whole];
}

/** Returns the page with another text between its markers. @throws Error if the page lacks a marker. */
export function replaced(page: string, text: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Error(`The page has no line "${BEGIN}" before a line "${END}". Restore both lines, then run this again.`);
  return `${page.slice(0, begin + BEGIN.length)}\n${text}\n${page.slice(end)}`;
}

/** Returns the part of the page: a line per goal, the warnings and the plot of the ratios. */
export function summary(report: RunReport, plots: readonly string[]): string {
  const warnings = warningsOn(report).map((line) => `- ${line}`);
  return [
    `${describeTime(report)} ${describeMachine(report)} The table has the rows with a goal and their medians; [the whole run](performance/last-run.md) has all rows, the spreads and the processor time by thread.`,
    '',
    ...table(SUMMARY_HEAD, report.scenarios.flatMap(summaryRows)),
    ...(warnings.length > 0 ? ['', ...warnings] : []),
    ...(plots.includes(RATIOS) ? ['', `![ratios](performance/${RATIOS})`] : []),
  ].join('\n');
}

/** Returns the file with all figures and notes of a run. */
export function wholeRun(report: RunReport, plots: readonly string[]): string {
  const figures = report.scenarios.flatMap((scenario) => scenario.figures);
  return [
    '# The last kept run',
    '',
    'Written by `npm run bench -- --keep`. [method.md](method.md) says how each row is measured, and [performance.md](../performance.md) what the results mean.',
    '',
    describeTime(report),
    '',
    ...table(HEAD, figures.map(cells)),
    '',
    ...notesOn(report).map((line) => `- ${line}`),
    ...(plots.length > 0 ? [''] : []),
    ...plots.map((name) => `![${name.replace('.svg', '')}](${name})`),
    '',
  ].join('\n');
}

function describeTime({ at, commit }: RunReport): string {
  return `Measured on ${at.slice(0, 10)} at commit ${commit}.`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const row = (texts: readonly string[]): string => `| ${texts.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
  return [row(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(row)];
}
