import { describe, expect, it } from '@jest/globals';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { reasonHeader, reasonIn } from './access-reason.js';

const parse = (header: unknown): string | undefined => reasonIn({ 'x-reason': header });

function messageOf(header: unknown): unknown {
  try {
    return parse(header);
  } catch (error) {
    return error instanceof ValidationFailed ? error.errors : error;
  }
}

describe('the reason of a request', () => {
  it('is optional', () => {
    expect(reasonIn({})).toBeUndefined();
  });

  it('is percent-encoded UTF-8, so that it can be in any language', () => {
    const reasons = ['Complaint 4711: 50% missing', 'Ìdí: ẹ̀sùn nọ́mbà 12', 'شكوى ٤٧١١', '农户投诉 4711', 'क्‍षेत्र जाँच', 'case 👩‍🌾 7'];
    for (const reason of reasons) expect(parse(reasonHeader(reason)['X-Reason'])).toBe(reason);
    expect(parse('plain text (ASCII), as it is + unchanged')).toBe('plain text (ASCII), as it is + unchanged');
    expect(parse('%20 around %20')).toBe('around');
  });

  it.each([
    ['a character outside ASCII', 'caf\u00e9'],
    ['a lone percent sign', '50% missing'],
    ['bytes that are not UTF-8', 'abc%ff'],
    ['half of a surrogate pair', 'abc%ED%A0%80'],
    ['several headers', ['one', 'two']],
  ])('is refused with %s', (_what, header) => {
    expect(messageOf(header)).toStrictEqual({ 'X-Reason': ['The X-Reason header must be percent-encoded UTF-8.'] });
  });

  it.each([
    ['a line break', 'two%0Alines'],
    ['a null character', 'abc%00'],
    ['an escape sequence of a terminal', '%1b[31mred'],
    ['a separator of lines', 'two%E2%80%A8lines'],
    ['a mark that reverses text', 'abc%E2%80%AEdef'],
    ['neither letters nor digits', '......'],
  ])('is refused with %s', (_what, header) => {
    expect(messageOf(header)).toStrictEqual({ 'X-Reason': ['The X-Reason header must be printable text.'] });
  });

  it('has 3 to 500 characters, whatever their number of bytes', () => {
    const tooShort = { 'X-Reason': ['The X-Reason header must be at least 3 characters.'] };
    const tooLong = { 'X-Reason': ['The X-Reason header must not be greater than 500 characters.'] };
    for (const header of ['', 'ab', '%20%20ab%20', '%F0%9F%91%A9%F0%9F%91%A9']) expect(messageOf(header)).toStrictEqual(tooShort);
    expect(parse('abc')).toBe('abc');
    const longest = '农'.repeat(500);
    expect(parse(reasonHeader(longest)['X-Reason'])).toBe(longest);
    expect(messageOf(reasonHeader(`${longest}农`)['X-Reason'])).toStrictEqual(tooLong);
  });
});
