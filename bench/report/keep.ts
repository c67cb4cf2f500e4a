import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { plotsOf } from './plots.js';
import { type RunReport } from './run-report.js';
import { cells, notesOn, HEAD } from './table.js';

const PAGE = resolve('docs/performance.md');
const PLOTS = resolve('docs/performance');
export const BEGIN = '<!-- last kept run: written by npm run bench -- --keep -->';
export const END = '<!-- end of the last kept run -->';

/** Writes a run to the page of the documentation, and its plots to a folder next to it. Returns the path of the page. */
export async function keep(report: RunReport): Promise<string> {
  const plots = await plotsOf(report);
  await mkdir(PLOTS, { recursive: true });
  for (const [name, svg] of plots) await writeFile(join(PLOTS, name), svg);
  await writeFile(PAGE, replaced(await readFile(PAGE, 'utf8'), section(report, [...plots.keys()])));
  return PAGE;
}

/** Returns the page with another text between its markers. @throws Error if the page lacks a marker. */
export function replaced(page: string, text: string): string {
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin < 0 || end < begin)
    throw new Error(`The page has no line "${BEGIN}" before a line "${END}". Restore both lines, then run this again.`);
  return `${page.slice(0, begin + BEGIN.length)}\n${text}\n${page.slice(end)}`;
}

export function section(report: RunReport, plots: readonly string[]): string {
  const row = (texts: readonly string[]): string => `| ${texts.map((text) => text.replaceAll('|', '\\|')).join(' | ')} |`;
  return [
    `Measured on ${report.at.slice(0, 10)} at commit ${report.commit}.`,
    '',
    row(HEAD),
    `|${HEAD.map(() => '---').join('|')}|`,
    ...report.scenarios.flatMap(({ figures }) => figures.map((figure) => row(cells(figure)))),
    '',
    ...notesOn(report).map((line) => `- ${line}`),
    '',
    ...plots.map((name) => `![${name.replace('.svg', '')}](performance/${name})`),
  ].join('\n');
}
