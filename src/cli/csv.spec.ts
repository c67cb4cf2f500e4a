import { describe, expect, it } from '@jest/globals';
import { csvLine } from './csv.js';

describe('a line of CSV', () => {
  it('quotes what needs quotes and ends as RFC 4180 says', () => {
    expect(csvLine(['a', 1, null, -2.5, 'b,c', 'say "no"', 'two\nlines', ''])).toBe('a,1,,-2.5,"b,c","say ""no""","two\nlines",\r\n');
  });

  it.each(['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1'])('marks %j as text', (text) => {
    expect(csvLine([text]).replaceAll('"', '')).toBe(`'${text}\r\n`);
  });

  it('leaves a sign within text alone', () => {
    expect(csvLine(['a=1', 'b-2'])).toBe('a=1,b-2\r\n');
  });
});
