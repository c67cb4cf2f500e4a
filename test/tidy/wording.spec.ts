import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

interface Finding {
  readonly where: string;
  readonly found: string;
  readonly instead: string;
}

/** Words that this project once used for terms the field already has. The migrations' names are stored in databases, so they stay. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/\blook-ups?\b(?!\.command)/i, 'lookup (noun), look up (verb)'],
  [/\bkept answers?\b/i, 'stored response'],
  [/\b(un)?seal(s|ed|ing)?\b/i, 'encrypt, decrypt'],
  [/\b(stands?|stood|standing) still\b|\bstandstill\b/i, 'faulted, stopped at event N'],
  [/\banew\b/i, 'again, from scratch'],
  [/\bchang(e|es|ed|ing) places\b/i, 'swap'],
  [/\b(holds?|held|holding) office\b|\bholdOffice\b/i, 'leader, leadership'],
  [/\blingering\b/i, 'batching window, linger time'],
  [/\b(stores?|domain|a|the) refusals?\b/i, 'rejection'],
  [/\bwhom it concerns\b/i, 'recipients, subscribers'],
  [/\bdear to\b/i, 'costly, hard to reverse'],
  [/unshown/i, 'not yet in the read model, read-model lag'],
  [/untaken/i, 'unclaimed, pending'],
  [/\bhonestly\b/i, 'a name of what the function does'],
  [/\bcharges? in hand\b|ChargesInHand/i, 'unsettled, in flight'],
  [/\bwhoever\b/i, 'the caller, the partner, the process: whichever it is'],
];

/** Openings of a comment that is no sentence: it cannot be understood without the line below it. */
const FRAGMENT = /^(Of|What|Whatever|Whoever|Whom|Where|By which|From which|For whom) /;

const SELF = 'test/tidy/wording.spec.ts';

function wordsIn(file: string, text: string): Finding[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      WORDS.flatMap(([word, instead]) =>
        [...line.matchAll(new RegExp(word, 'gi'))].map(([found]) => ({ where: `${file}:${index + 1}`, found, instead })),
      ),
    );
}

/** Returns the first words of each comment: of a block, or of lines of `//` in a row. */
function commentsIn(text: string): { line: number; opening: string }[] {
  const lines = text.split('\n');
  return lines.flatMap((line, index) => {
    const [, block] = /^\s*\/\*\*? *(\S.*)?$/.exec(line) ?? [];
    const [, row] = /^\s*\/\/ (.*)$/.exec(line) ?? [];
    if (row !== undefined && /^\s*\/\/ /.test(lines[index - 1] ?? '')) return [];
    if (block === undefined && row === undefined && !/^\s*\/\*\*$/.test(line)) return [];
    return [{ line: index + 1, opening: block ?? row ?? (lines[index + 1] ?? '').replace(/^\s*\* ?/, '') }];
  });
}

function fragmentsIn(file: string, text: string): Finding[] {
  return commentsIn(text)
    .filter(({ opening }) => FRAGMENT.test(opening))
    .map(({ line, opening }) => ({ where: `${file}:${line}`, found: opening, instead: 'a sentence that names its subject and says why' }));
}

const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => /\.(ts|mjs|cjs|js|md|yml|yaml|json|sh)$|Dockerfile$/.test(file) && existsSync(file))
  .filter((file) => file !== SELF && file !== 'package-lock.json');
const sources = files.filter((file) => /\.(ts|mjs|cjs|js)$/.test(file));
const read = (file: string): string => readFileSync(file, 'utf8');

describe('the wording', () => {
  it('uses the terms of the field', () => {
    expect(files.length).toBeGreaterThan(500);
    expect(files.flatMap((file) => wordsIn(file, read(file)))).toStrictEqual([]);
  });

  it('has no comment that opens as a fragment', () => {
    expect(sources.length).toBeGreaterThan(500);
    expect(sources.flatMap((file) => fragmentsIn(file, read(file)))).toStrictEqual([]);
  });

  it.each([
    ['a look-up', 'look-up'],
    ['Kept answers', 'Kept answers'],
    ['it is unsealed', 'unsealed'],
    ['the projector stands still', 'stands still'],
    ['a refusal', 'a refusal'],
    ['whoever asks', 'whoever'],
    ['lateOf(unshownEvents)', 'unshown'],
  ])('is found at fault in “%s”', (text, found) => {
    expect(wordsIn('a.ts', `\n${text}`)).toMatchObject([{ where: 'a.ts:2', found }]);
  });

  it.each([
    ['/** What it says. */', 1],
    ['/**\n * Of the body.\n */', 1],
    ['const a = 1;\n// Whoever asks\n// Where it is', 2],
  ])('is found at fault in %j', (text, line) => {
    expect(fragmentsIn('a.ts', text)).toMatchObject([{ where: `a.ts:${line}` }]);
  });

  it('is accepted in names of files and in sentences that are whole', () => {
    expect(wordsIn('a.ts', "import './look-up.command.js';")).toStrictEqual([]);
    expect(fragmentsIn('a.ts', '// The projector waits\n// Where it must.\n/** Returns the head. */')).toStrictEqual([]);
  });
});
