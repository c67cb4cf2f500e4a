import { describe, expect, it } from '@jest/globals';
import { Form, utcOf } from './form.js';

describe('a submitted form', () => {
  it('returns texts without spaces around them, and empty ones for fields that were not sent', () => {
    const form = new Form('name=+Amina+&empty=');
    expect([form.text('name'), form.text('other'), form.optional('empty')]).toStrictEqual(['Amina', '', undefined]);
  });

  it('returns a number as one, and any other text as it is', () => {
    const form = new Form('a=50.25&b=abc&c=-5&d=1e3&e=0x10&f=');
    expect(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => form.number(name))).toStrictEqual([50.25, 'abc', -5, '1e3', '0x10', undefined]);
  });

  it('returns the lines and parts of a list, and every checked box', () => {
    const form = new Form('list=a%0D%0Ab%2C+c%2C%2C&box=1&box=2');
    expect([form.list('list'), form.all('box')]).toStrictEqual([
      ['a', 'b', 'c'],
      ['1', '2'],
    ]);
  });

  it('tells what was typed from what the page itself sent, and leaves secrets out of what is kept', () => {
    const form = new Form('_csrf=a&_key=b&name=+Amina+&token=c&section=1&section=2');
    expect([form.typed, form.keepable, form.sent('name')]).toStrictEqual([
      'name=+Amina+&token=c&section=1&section=2',
      'name=+Amina+&section=1&section=2',
      ' Amina ',
    ]);
  });

  it('has no fields without a body', () => {
    expect(new Form(undefined).text('name')).toBe('');
  });
});

describe('a field for date and time', () => {
  it('is in UTC, and any other text is left to the interface', () => {
    expect(['2026-03-09T14:30', '2026-03-09T14:30:05', 'yesterday', '', undefined].map(utcOf)).toStrictEqual([
      '2026-03-09T14:30Z',
      '2026-03-09T14:30:05Z',
      'yesterday',
      undefined,
      undefined,
    ]);
  });
});
