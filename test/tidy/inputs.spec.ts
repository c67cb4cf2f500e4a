import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'projections'], { encoding: 'utf8' }).split('\n');
const sources = Object.fromEntries(
  listed.filter((file) => /\.tsx?$/.test(file) && !/\.spec\.tsx?$/.test(file)).map((file) => [file, readFileSync(file, 'utf8')]),
);

/** Parameters of commands that are no inputs: ids have their own parsers, and the service itself states the others. */
const PLAIN = /^(?:\w+(?:Id|_id)|actor|key|projection)$/;
/** ReportMany validates each report where it takes it, because a bad one does not affect the others. */
const VALIDATES_ITSELF = 'ReportMany.items';

/** Returns each parameter of a command whose type a value can have that no validation has seen. */
function unvalidated(text: string): string[] {
  return [...text.matchAll(/export class (\w+) extends Command<[\s\S]*?\n}/g)].flatMap(([body, command = '']) => {
    const [, parameters = ''] = /\n {2}constructor\(([\s\S]*?)\) {/.exec(body) ?? [];
    return [...parameters.matchAll(/readonly (\w+)\??: ([^\n]+?),?(?=\n|$| readonly)/g)]
      .filter(([, name = '', type = '']) => /\b(?:string|number|unknown|object|Fields|Record|Partial)\b/.test(type) && !PLAIN.test(name))
      .map(([, name = '']) => `${command}.${name}`)
      .filter((found) => found !== VALIDATES_ITSELF);
  });
}

/** Rules that have one place, as they would look elsewhere. */
const RULES: Readonly<Record<string, { readonly copy: RegExp; readonly place: string }>> = {
  'the characters of an id': { copy: /\[A-Za-z0-9-\]\{1,64\}/, place: 'src/http/validating/validation.ts' },
  'the number of an endpoint or a delivery': { copy: /\^\[1-9\]\\d\{0,14\}\$/, place: 'src/http/validating/validation.ts' },
  'the length of a text': {
    copy: /MaxLength\(255|\bMAX_TEXT = |\.length > (?:255|MAX_TEXT|MAX_REASON)\b/,
    place: 'src/kernel/storable.ts',
  },
  'the list of currencies': { copy: /supportedValuesOf\('currency'\)/, place: 'src/kernel/money.ts' },
  'the last and the first year of a date': { copy: /\b(?:FIRST|LAST)_YEAR = /, place: 'src/kernel/iso-8601.ts' },
  'the decimals of an amount': { copy: /\\d\{1,16\}\)\(\?:\\\./, place: 'src/kernel/money.ts' },
};

describe('a command', () => {
  it('takes inputs from validation, and no text or number that nobody has validated', () => {
    expect(Object.entries(sources).flatMap(([file, text]) => unvalidated(text).map((found) => `${file}: ${found}`))).toStrictEqual([]);
  });

  it('is reported with a parameter that anybody can make', () => {
    const command = (parameters: string): string => `export class Pay extends Command<void> {\n  constructor(${parameters}) {\n  }\n}`;
    expect(
      [
        'readonly partnerId: string, readonly payout: PayoutDto, readonly actor: string',
        'readonly payout: Fields<PayoutDto>',
        '\n    readonly reason: string,\n    readonly actor: string,\n  ',
        'readonly lines: readonly unknown[]',
        'readonly limit?: number',
      ].map((parameters) => unvalidated(command(parameters))),
    ).toStrictEqual([[], ['Pay.payout'], ['Pay.reason'], ['Pay.lines'], ['Pay.limit']]);
  });
});

describe('a rule of inputs', () => {
  it.each(Object.entries(RULES))('has one place: %s', (_rule, { copy, place }) => {
    expect(Object.entries(sources).flatMap(([file, text]) => (copy.test(text) ? [file] : []))).toStrictEqual([place]);
  });
});
