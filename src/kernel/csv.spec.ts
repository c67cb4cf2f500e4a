import { describe, expect, it } from '@jest/globals';
import { csv } from './csv.js';

describe('CSV', () => {
  it('ends every line with CRLF and leaves null cells empty', () => {
    expect(
      csv([
        ['a', null, 'c'],
        ['1', 2, { kobo: -1_234_05 }],
      ]),
    ).toBe('a,,c\r\n1,2,-1234.05\r\n');
  });

  it('quotes cells with separators, quotes or line ends', () => {
    expect(csv([['a,b', 'say "so"', 'x\r\ny', 'plain text']])).toBe('"a,b","say ""so""","x\r\ny",plain text\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '=HYPERLINK("http://x","y")'])(
    'escapes the text %j, which a spreadsheet would run as a formula',
    (text) => {
      expect(csv([[text]]).replace(/^"/, '')).toMatch(/^'/);
    },
  );

  it('does not escape negative amounts and numbers', () => {
    expect(csv([[{ kobo: -5 }, { kobo: 10n ** 20n }, -3]])).toBe('-0.05,1000000000000000000.00,-3\r\n');
  });
});
