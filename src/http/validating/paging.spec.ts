import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { Cursors, PageQueryDto, search } from './paging.js';
import { validateBody } from './validation.js';

const CURSORS = new Cursors('things', 'time', 'integer');
const AT = '2026-03-09T14:30:00.000Z';
const text = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

describe('a cursor', () => {
  it('leads to the position that it was made of', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('2199-01-01'), noInvalidDate: true }), fc.maxSafeInteger(), (time, number) => {
        const position = [time.toISOString(), number] as const;
        expect(CURSORS.position(CURSORS.at(position))).toStrictEqual(position);
      }),
    );
  });

  it('is not needed for the first page', () => {
    expect(CURSORS.position(undefined)).toBeUndefined();
  });

  it.each([
    ['of another list', new Cursors('others', 'time', 'integer').at([AT, 1])],
    ['with a value of another kind', text(['things', AT, 'x'])],
    ['with a fraction', text(['things', AT, 1.5])],
    ['with a time that does not exist', text(['things', '2026-13-09T14:30:00Z', 1])],
    ['with too many values', text(['things', AT, 1, 2])],
    ['with too few values', text(['things', AT])],
    ['that is no list', text({ things: 1 })],
    ['that is no JSON', 'bm9uc2Vuc2U'],
    ['that is no base64url', 'nonsense!'],
    ['with a character more', `${CURSORS.at([AT, 1])}=`],
    ['that is empty', ''],
  ])('%s is refused', (_name, cursor) => {
    expect(() => CURSORS.position(cursor)).toThrow(ValidationFailed);
  });

  it('with text that PostgreSQL cannot compare is refused', () => {
    const names = new Cursors('names', 'text');
    expect(names.position(names.at(['rp-1']))).toStrictEqual(['rp-1']);
    expect(() => names.position(names.at(['\u0000']))).toThrow(ValidationFailed);
  });

  it('is null on the last page, and leads to every item once, although others are added meanwhile', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(1000), { minLength: 1 }), fc.integer({ min: 1, max: 7 }), (added, limit) => {
        const cursors = new Cursors('numbers', 'integer');
        const all = Array.from({ length: 20 }, (_, number) => number);
        const seen: number[] = [];
        let cursor: string | null | undefined;
        for (const next of [...added, ...added, ...Array.from({ length: 40 }, (_, more) => 2_000 + more)]) {
          const [before = Infinity] = cursors.position(cursor) ?? [];
          const rows = all.filter((number) => number < before).sort((a, b) => b - a);
          const page = cursors.page(rows.slice(0, limit + 1), limit, (number) => [number]);
          seen.push(...page.items);
          cursor = page.next_cursor;
          if (cursor === null) break;
          all.push(3_000 + next + all.length * 10_000);
        }
        expect(cursor).toBeNull();
        expect(seen).toStrictEqual(Array.from({ length: 20 }, (_, number) => 19 - number));
      }),
    );
  });
});

describe('the search in a list', () => {
  it('finds every row that is wanted, in pages, however rare they are', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 6_000 }),
        fc.integer({ min: 1, max: 900 }),
        fc.integer({ min: 1, max: 40 }),
        async (rows, every, limit) => {
          const all = Array.from({ length: rows }, (_, number) => number);
          const reads: number[] = [];
          const read = (after = -1, count: number): Promise<readonly number[]> => {
            reads.push(count);
            return Promise.resolve(all.slice(after + 1, after + 1 + count));
          };
          const isWanted = (number: number): boolean => number % every === 0;
          const found: number[] = [];
          let begin: number | undefined;
          do {
            const before = reads.length;
            const page = await search(read, isWanted, (number) => number, begin, limit + 1);
            expect(reads.length - before).toBeLessThanOrEqual(4);
            found.push(...page.rows.slice(0, limit));
            begin = page.rows.length > limit ? page.rows[limit - 1] : page.searchedTo;
          } while (begin !== undefined);
          expect(found).toStrictEqual(all.filter(isWanted));
        },
      ),
    );
  });
});

describe('the query of a page', () => {
  it.each([{ limit: '0' }, { limit: '201' }, { limit: 'ten' }, { limit: ['1', '2'] }, { cursor: ['a', 'b'] }, { cursor: 'a'.repeat(513) }])(
    'is refused: %j',
    (query) => {
      expect(() => validateBody(PageQueryDto, query)).toThrow(ValidationFailed);
    },
  );

  it('is converted', () => {
    expect(Object.assign({}, validateBody(PageQueryDto, { limit: '200', cursor: 'abc' }))).toStrictEqual({ limit: 200, cursor: 'abc' });
  });
});
