import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { linesOf, type TextLine } from './text-lines.js';

const STYLE = { weight: 'regular', size: 9 } as const;
const FOREVER = 100_000;
const texts = (line: TextLine | undefined): string[] => (line ?? []).map(({ text }) => text);
const widthOf = (line: TextLine): number => line.reduce((sum, { width }) => sum + width, 0);
const words = fc.array(fc.constantFrom('Ọ̀ṣun', 'Àgbẹ̀', 'شركة', 'المزارعين', '(12)', 'Ltd', 'INV-2026-1000', 'ị̀', 'W'.repeat(40)), {
  minLength: 1,
});

describe('the lines of a text', () => {
  it('order words of both directions as the Unicode Bidirectional Algorithm does', () => {
    const [line] = linesOf('Farmers of شركة المزارعين Kano', STYLE, FOREVER);
    // The text of a run is in the order of reading; fontkit reverses it.
    expect(texts(line)).toStrictEqual(['Farmers of ', 'شركة المزارعين', ' Kano']);
  });

  it('begin at the right for a text whose first letter is Arabic', () => {
    expect(texts(linesOf('شركة Kano', STYLE, FOREVER)[0])).toStrictEqual(['Kano', 'شركة ']);
  });

  it('keep numbers in Arabic from left to right, and turn the brackets round', () => {
    expect(texts(linesOf('قرض (12) كانو', STYLE, FOREVER)[0])).toStrictEqual([') كانو', '12', 'قرض ('].map((text) => mirrored(text)));
  });

  it('use the font of a letter for its marks', () => {
    expect(linesOf('Ọ̀ مُ', STYLE, FOREVER)[0]?.map(({ font }) => font.postscriptName)).toStrictEqual([
      'NotoSans-Regular',
      'ScheherazadeNew-Regular',
    ]);
  });

  it('ignore marks that would change the direction of what follows, and have spaces for line breaks', () => {
    expect(texts(linesOf('a\u202eb\u2066c\nd\u0000e', STYLE, FOREVER)[0])).toStrictEqual(['abc d e']);
  });

  it('break a long word after a hyphen if it has one', () => {
    const [first, second] = linesOf('0f9a3c1e-52a4-4f6e-8d0e-2f0f7c3b9a11', STYLE, 160);
    expect([texts(first), texts(second)]).toStrictEqual([['0f9a3c1e-52a4-4f6e-8d0e-'], ['2f0f7c3b9a11']]);
  });

  it('are none for an empty text', () => {
    expect(linesOf(' ', STYLE, 100)).toStrictEqual([]);
  });

  it('have every character once and are no wider than the column, for any text', () => {
    const letters = (text: string): string => Array.from(text.replaceAll(' ', '')).sort().join('');
    fc.assert(
      fc.property(words, fc.integer({ min: 40, max: 400 }), (some, width) => {
        const text = some.join(' ').normalize('NFC');
        const lines = linesOf(text, STYLE, width);
        for (const line of lines) expect(widthOf(line)).toBeLessThanOrEqual(width + 0.5);
        expect(letters(lines.flatMap(texts).join('').replaceAll(/[()]/g, ''))).toBe(letters(text.replaceAll(/[()]/g, '')));
      }),
      // The spaces between words in Arabic are wider than those of the Latin font.
      { examples: [[['المزارعين', 'Ọ̀ṣun', 'شركة', 'Àgbẹ̀', 'المزارعين', 'Ọ̀ṣun', 'Àgbẹ̀', 'ị̀', 'شركة', '(12)', 'Ọ̀ṣun', 'المزارعين'], 272]] },
    );
  });

  it('exist for any characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(linesOf(text, STYLE, 60).length).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});

function mirrored(text: string): string {
  return text.replaceAll(/[()]/g, (bracket) => (bracket === '(' ? ')' : '('));
}
