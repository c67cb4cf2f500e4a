import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { eventCatalogue } from '../../src/stores/event-catalogue.js';

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
});
