import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect } from '@jest/globals';
import { SIGNER } from './evidence-events.js';
import { type EvidenceLine, fileText } from './evidence-history.js';

export const isPythonMissing = spawnSync('python3', ['--version']).error !== undefined;

/** Runs main() of docs/audit/audit.mjs with each line of standard input as its arguments, and prints what it printed and returned. */
const JAVASCRIPT_RUNS = `
import { main } from '${resolve('docs/audit/audit.mjs')}';
import { readFileSync } from 'node:fs';
const { exit } = process;
let out, err;
const print = console.log;
console.log = (text) => { out += text + '\\n'; };
console.error = (text) => { err += text + '\\n'; };
process.exit = (status) => { throw { status }; };
for (const line of readFileSync(0, 'utf8').trimEnd().split('\\n')) {
  [out, err] = ['', ''];
  let status;
  try { status = main(JSON.parse(line)); } catch (error) { if (error.status === undefined) throw error; ({ status } = error); }
  print(JSON.stringify([status, out, err]));
}
`;
const PYTHON_RUNS = `
import contextlib, io, json, sys
sys.path.insert(0, '${resolve('docs/audit')}')
sys.dont_write_bytecode = True
import audit
for line in sys.stdin:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = audit.main(json.loads(line))
        except SystemExit as end:
            status = end.code
    print(json.dumps([status, out.getvalue(), err.getvalue()]))
`;
const PROGRAMS = [
  { program: process.execPath, asScript: resolve('docs/audit/audit.mjs'), runs: ['--input-type=module', '-e', JAVASCRIPT_RUNS] },
  ...(isPythonMissing ? [] : [{ program: 'python3', asScript: resolve('docs/audit/audit.py'), runs: ['-c', PYTHON_RUNS] }]),
];

/** The files and options of a run. */
export interface AuditRun {
  readonly evidence: string | Buffer;
  readonly keys: string;
  readonly notes?: readonly string[];
  readonly options?: readonly string[];
}

export interface Finding {
  readonly status: number | null;
  /** The summary. */
  readonly out: string;
  /** The last line of standard error; undefined if there is none. */
  readonly last: string | undefined;
}

const MAX_OUTPUT = 64 * 1024 * 1024;

/** Runs the programs in docs/audit, each in one process for all runs, and returns what each of them found in each run. */
function audited(runs: readonly AuditRun[]): readonly (readonly Finding[])[] {
  return withFiles(runs, (folder, argumentsOf) => {
    const input = argumentsOf.map((each) => JSON.stringify(each)).join('\n');
    const found = PROGRAMS.map((each) => {
      const { stdout, stderr } = spawnSync(each.program, each.runs, { cwd: folder, input, encoding: 'utf8', maxBuffer: MAX_OUTPUT });
      const lines = stdout.split('\n').slice(0, -1);
      if (lines.length !== runs.length) throw new Error(`A program ended early: ${stderr}`);
      return lines.map((line) => findingOf(...(JSON.parse(line) as [number, string, string])));
    });
    return runs.map((_, index) => found.map((ofProgram) => ofProgram[index] as Finding));
  });
}

/** Runs the programs as their user does. */
export function auditedAsCommands(run: AuditRun): readonly Finding[] {
  return withFiles([run], (folder, [given = []]) =>
    PROGRAMS.map(({ program, asScript }) => {
      const { status, stdout, stderr } = spawnSync(program, [asScript, ...given], { cwd: folder, encoding: 'utf8', maxBuffer: MAX_OUTPUT });
      return findingOf(status, stdout, stderr);
    }),
  );
}

function findingOf(status: number | null, out: string, err: string): Finding {
  return {
    status,
    out,
    last: err
      .trimEnd()
      .split('\n')
      .findLast((line) => line !== ''),
  };
}

function withFiles<T>(runs: readonly AuditRun[], work: (folder: string, argumentsOf: string[][]) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'rupa-audit-'));
  const inFile = (name: string, content: string | Buffer): string => {
    writeFileSync(join(folder, name), content);
    return name;
  };
  try {
    const argumentsOf = runs.map(({ evidence, keys, notes = [], options = [] }, run) => [
      ...options,
      inFile(`evidence-${run}.jsonl`, evidence),
      inFile(`keys-${run}.txt`, keys),
      ...notes.map((note, index) => inFile(`note-${run}-${index}.txt`, note)),
    ]);
    return work(folder, argumentsOf);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

export type Log = readonly EvidenceLine[] | string;

/** Returns a run on a log, with the key that signs the test's checkpoints. */
export function runOf(
  log: Log,
  notes: readonly string[] = [],
  keys = `${SIGNER.verifierKey}\n`,
  options: readonly string[] = [],
): AuditRun {
  return { evidence: typeof log === 'string' ? log : fileText(log), keys, notes, options };
}

/** Returns what both programs found, which must be the same. */
export function same([first, ...others]: readonly Finding[]): Finding {
  for (const other of others) expect(other).toStrictEqual(first);
  return first as Finding;
}

/** Returns what both programs found in each run. */
export function auditsOf(runs: readonly AuditRun[]): readonly Finding[] {
  return audited(runs).map(same);
}

export function auditOf(...run: Parameters<typeof runOf>): Finding {
  const [found] = auditsOf([runOf(...run)]);
  return found as Finding;
}
