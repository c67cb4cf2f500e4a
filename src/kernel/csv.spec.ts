import { describe, expect, it } from '@jest/globals';
import { csv } from './csv.js';

describe('CSV', () => {
  it('ends every line with CRLF and leaves out what is not there', () => {
    expect(
      csv([
        ['a', null, 'c'],
        ['1', 2, { kobo: -1_234_05 }],
      ]),
    ).toBe('a,,c\r\n1,2,-1234.05\r\n');
  });

  it('quotes separators, quotes and line ends', () => {
    expect(csv([['a,b', 'say "so"', 'x\r\ny', 'plain text']])).toBe('"a,b","say ""so""","x\r\ny",plain text\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\tx', '=HYPERLINK("http://x","y")'])('makes no formula of the text %j', (text) => {
    expect(csv([[text]]).replace(/^"/, '')).toMatch(/^'/);
  });

  it('leaves negative amounts numbers', () => {
    expect(csv([[{ kobo: -5 }, { kobo: 10n ** 20n }, -3]])).toBe('-0.05,1000000000000000000.00,-3\r\n');
  });
});
