import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { projections } from '../../projections/index.js';
import { eventCatalogue } from '../../src/stores/event-catalogue.js';
import { eventShapes } from '../../src/stores/event-shapes.js';
import { eventStreams } from '../../src/stores/event-streams.js';
import { everyEvent } from '../support/unit/every-event.js';

const TYPES = Object.keys(eventCatalogue);
const TYPE = new RegExp(`^'(?:${TYPES.join('|')})'(?: (?:as const|satisfies .+))?$`);
/** Lists of values in TypeScript and in SQL. */
const LISTS = /\[(?<array>[^[\]]*)\]|\bin\s*\((?<among>[^()]*)\)/g;
/** Two or more types of events in one condition. */
const EITHER = new RegExp(
  `(?:=|<>) ?'(?:${TYPES.join('|')})'\\s*(?:\\|\\||&&|or|and)\\s*[\\w.\${}]+ (?:[!=]?==?|<>) ?'(?:${TYPES.join('|')})'`,
  'g',
);

/** Returns the lists and conditions that enumerate types of events, of which the compiler says nothing when a type is added. */
function enumerations(text: string): string[] {
  const lists = [...text.matchAll(LISTS)].flatMap(({ groups = {} }) => {
    const items = (groups.array ?? groups.among ?? '').split(',').map((item) => item.trim());
    return items.some((item) => TYPE.test(item)) ? [items.join(', ')] : [];
  });
  return [...lists, ...[...text.matchAll(EITHER)].map(([condition]) => condition)];
}

/** Returns the category of each type's stream, as a program in docs/audit lists them. */
function audited(program: string): ReadonlyMap<string, string> {
  const { table = '' } = /EVENTS = (?<quote>`|''')\n(?<table>[^`']*)\k<quote>/.exec(program)?.groups ?? {};
  let category = '';
  return new Map(
    table.split('\n').flatMap((line) => {
      const [names = ''] = line.split(' |');
      if (!line.startsWith(' ')) [category = ''] = names.split('-');
      return line.startsWith(' ')
        ? names
            .trim()
            .split(' ')
            .map((type) => [type, category] as const)
        : [];
    }),
  );
}

/** Returns the types in a constant of a program in docs/audit. */
function typesIn(program: string, constant: string): string[] {
  const { value = '' } =
    new RegExp(`^(?:const )?${constant} = (?<value>[^]*?)^(?:const|/\\*|#|[A-Z_]+ =)`, 'm').exec(program)?.groups ?? {};
  return value.match(/\b[A-Z][a-z]+[A-Z]\w+/g) ?? [];
}

describe('a type of events', () => {
  const listed = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'src', 'projections'], { encoding: 'utf8' }).split('\n');
  const files = listed.filter((file) => /\.tsx?$/.test(file) && !/\.spec\.tsx?$/.test(file));

  it('is in no list: a map that has every type does not compile without a new one', () => {
    expect(files.flatMap((file) => enumerations(readFileSync(file, 'utf8')).map((found) => `${file}: ${found}`))).toStrictEqual([]);
  });

  it.each([
    ["const PAID = new Set(['WalletCredited', 'WalletPaidOut']);", ["'WalletCredited', 'WalletPaidOut'"]],
    ["const ONE = ['WalletCredited'] as const;", ["'WalletCredited'"]],
    ["`where type in ('RefundIssued', 'LookupCompensated')`", ["'RefundIssued', 'LookupCompensated'"]],
    ["event.type === 'WalletCredited' || event.type === 'WalletPaidOut'", ["= 'WalletCredited' || event.type === 'WalletPaidOut'"]],
    ["`${e.type} = 'WalletCredited' or ${e.type} = 'WalletPaidOut'`", ["= 'WalletCredited' or ${e.type} = 'WalletPaidOut'"]],
    ["return [{ type: 'WalletCredited', data }];", []],
    ['const IS: Record<string, boolean> = { WalletCredited: true };', []],
    ["event.type === 'WalletCredited' && isLarge(event)", []],
  ])('is reported in a list: %s', (text, found) => {
    expect(enumerations(text)).toStrictEqual(found);
  });

  it('is in the history of every event, if a read model folds it', () => {
    const told = new Set(everyEvent(1).map(({ type }) => type));
    const folded = new Set(projections.flatMap(({ types }) => [...types]));
    expect([...folded].filter((type) => !told.has(type))).toStrictEqual([]);
  });

  it.each(['audit.mjs', 'audit.py'])('is known to docs/audit/%s with its stream, and as one that needs approval', (program) => {
    const text = readFileSync(`docs/audit/${program}`, 'utf8');
    const categories = Object.entries(eventStreams).map(([type, { category }]) => [type, category] as const);
    expect(audited(text)).toStrictEqual(new Map(categories));
    const approvable = Object.entries(eventShapes).flatMap(([type, shape]) => ('approved_by' in shape ? [type] : []));
    expect(typesIn(text, 'APPROVABLE').sort()).toStrictEqual(approvable.sort());
    expect(typesIn(text, 'PRIVILEGED')).toStrictEqual(expect.arrayContaining(approvable));
  });
});
