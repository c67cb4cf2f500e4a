import { existsSync, statSync } from 'node:fs';
import { type Lookup, type Prices } from '../api-types.generated.js';
import { type Chunk } from '../chunked-calls.js';
import { type RupaClient } from '../rupa-client.js';
import { RupaError } from '../rupa-error.js';
import { type CommandLine } from './command-line.js';
import { type Connection } from './commands.js';
import { ResumableOutput, fingerprintOf } from './resumable-output.js';
import { idsIn, reportsIn } from './table.js';
import { isOfSystem, type Terminal, UsageError } from './terminal.js';

type Sections = NonNullable<Lookup['sections']> | null;

const BAR_WIDTH = 24;

/** Looks up the farmers of a CSV file, and writes a JSON line for each. */
export async function lookUpFile({ client }: Connection, line: CommandLine, terminal: Terminal): Promise<boolean> {
  const sections = sectionsOf(line);
  const source = line.option('source') ?? 'loan';
  const file = inputOf(line);
  const total = await countOf(idsIn(file));
  const account = await client.me({ signal: terminal.signal });
  const output = await outputOf(line, file, ['lookup', account.company_name, account.mode, sections, source]);
  try {
    if (
      isDone(output, line, terminal) ||
      !(await isConfirmed(client, { sections, count: total - output.items, balance: account.wallet_balance }, line, terminal))
    )
      return output.isDone;
    const run = client.lookUpAll(idsIn(file), { ...runOf(output, terminal), ...(sections ? { sections } : {}), source });
    const totals = { found: 0, not_found: 0, failed: 0, not_charged: 0 };
    let charged = 0;
    await follow(run.chunks(), output, { total, terminal }, (chunk) => {
      for (const { outcome } of chunk.results) totals[outcome] += 1;
      charged += chunk.summary.amount_charged;
      return `${shown(totals)}, charged ${naira(charged)}, balance ${naira(chunk.summary.wallet_balance)}`;
    });
    return true;
  } finally {
    output.close();
  }
}

/** Reports the activities of a file, and writes a JSON line for each. Returns whether none was refused. */
export async function reportFile({ client }: Connection, line: CommandLine, terminal: Terminal): Promise<boolean> {
  const file = inputOf(line);
  const total = await countOf(reportsIn(file));
  const account = await client.me({ signal: terminal.signal });
  const output = await outputOf(line, file, ['report', account.company_name, account.mode]);
  try {
    if (isDone(output, line, terminal)) return true;
    const totals = { created: 0, updated: 0, refused: 0 };
    await follow(client.reportAll(reportsIn(file), runOf(output, terminal)).chunks(), output, { total, terminal }, ({ results }) => {
      for (const { outcome } of results) totals[outcome] += 1;
      return shown(totals);
    });
    if (totals.refused > 0)
      terminal.print(`${totals.refused} were refused: the lines of the output with "refused" say why. Report them again in another file.`);
    return totals.refused === 0;
  } finally {
    output.close();
  }
}

const runOf = (output: ResumableOutput, { signal }: Terminal) => ({ runId: output.runId, fromChunk: output.chunks, signal });

/** Writes the results of each chunk, and shows the progress. */
async function follow<Result extends object, Summary>(
  chunks: AsyncIterable<Chunk<Result, Summary>>,
  output: ResumableOutput,
  { total, terminal }: { readonly total: number; readonly terminal: Terminal },
  tell: (chunk: Chunk<Result, Summary>) => string,
): Promise<void> {
  let told = '';
  try {
    if (output.items < total) output.sending();
    for await (const chunk of chunks) {
      const items = chunk.first + chunk.results.length;
      output.write(
        chunk.results.map((result, index) => ({ item: chunk.first + index + 1, ...result })),
        items,
      );
      told = tell(chunk);
      showProgress(items, total, told, terminal);
      if (items < total) output.sending();
    }
  } catch (error) {
    terminal.endProgress?.();
    if (terminal.signal.aborted || error instanceof RupaError || isOfSystem(error))
      terminal.print(`Stopped after ${output.items} of ${total}. Repeat the command to continue there; nothing is done or charged twice.`);
    throw error;
  }
  output.done();
  terminal.endProgress?.();
  terminal.print(`Done: ${total}${told === '' ? '' : ` (this run: ${told})`}`);
}

function showProgress(items: number, total: number, told: string, terminal: Terminal): void {
  const percent = Math.floor((items / total) * 100);
  if (!terminal.showProgress) {
    terminal.print(`${items} of ${total} (${percent} %): ${told}`);
    return;
  }
  const filled = Math.floor((items / total) * BAR_WIDTH);
  terminal.showProgress(`[${'#'.repeat(filled)}${'.'.repeat(BAR_WIDTH - filled)}] ${percent} % ${items}/${total}  ${told}`);
}

function isDone(output: ResumableOutput, line: CommandLine, { print }: Terminal): boolean {
  if (output.isDone) print(`${outOf(line)} is complete already. To begin again, name another file with --out.`);
  else if (output.items > 0) print(`Continuing after ${output.items}.`);
  return output.isDone;
}

/** Shows the price, and asks whether to go on. @throws UsageError if nobody can be asked */
async function isConfirmed(
  client: RupaClient,
  { sections, count, balance }: { readonly sections: Sections; readonly count: number; readonly balance: number },
  line: CommandLine,
  terminal: Terminal,
): Promise<boolean> {
  const most = mostFor(await client.prices({ signal: terminal.signal }), sections);
  terminal.print(
    `${count} lookups cost at most ${naira(most)} each, ${naira(most * count)} together; farmers that nobody has are free. Your balance is ${naira(balance)}.`,
  );
  if (most * count > balance)
    terminal.print('The balance may not be enough for all of them. The run then stops, and continues after a top-up.');
  if (line.isSet('yes')) return true;
  if (!terminal.ask) throw new UsageError('Nobody can be asked whether to go on: add --yes to look up without a question.');
  const isYes = /^y(es)?$/i.test((await terminal.ask('Continue? [y/N] ')).trim());
  if (!isYes) terminal.print('Nothing was looked up.');
  return isYes;
}

/** Returns the most that a lookup costs, in NGN: with the report of a credit bureau. @param sections default: all that the account may read */
function mostFor({ fees, lookup }: Prices, sections: Sections): number {
  const asked = sections ?? lookup.sections;
  const has = (name: (typeof asked)[number]): boolean => asked.includes(name);
  const kobo = (amount: number): number => Math.round(amount * 100);
  return (
    (asked.reduce((sum, name) => sum + kobo(fees[`svc_fee.${name}`]), 0) +
      (has('bvn_nin_data') ? kobo(fees['passthrough.bvn']) + kobo(fees['passthrough.nin']) : 0) +
      (has('credit_history') ? kobo(fees['passthrough.credit_bureau']) : 0)) /
    100
  );
}

function inputOf({ command, argument }: CommandLine): string {
  if (!existsSync(argument) || !statSync(argument).isFile())
    throw new UsageError(`${argument} is no file: rupa-client ${command} needs one.`);
  return argument;
}

/** Returns the names of the sections; null for all that the account may read. The service refuses other names. */
function sectionsOf({ option }: CommandLine): Sections {
  const names = option('sections');
  return names === undefined ? null : (names.split(',').map((name) => name.trim()) as NonNullable<Sections>);
}

function outOf({ command, option }: CommandLine): string {
  const out = option('out');
  if (out === undefined) throw new UsageError(`Name the file for the results: rupa-client ${command} … --out results.jsonl`);
  return out;
}

async function outputOf(line: CommandLine, file: string, options: readonly unknown[]): Promise<ResumableOutput> {
  const out = outOf(line);
  return ResumableOutput.open(out, await fingerprintOf(options, file), line.isSet('send-again'));
}

/** Reads all items, so that a line that cannot be read is found before anything is sent. @throws UsageError if there are none */
async function countOf(items: AsyncIterable<unknown>): Promise<number> {
  let count = 0;
  const all = items[Symbol.asyncIterator]();
  while ((await all.next()).done !== true) count += 1;
  if (count === 0) throw new UsageError('The file has no items.');
  return count;
}

function shown(totals: Readonly<Record<string, number>>): string {
  return Object.entries(totals)
    .filter(([, count]) => count > 0)
    .map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`)
    .join(', ');
}

function naira(amount: number): string {
  return `NGN ${amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}
