import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AdminApiError, pathOf, queryOf } from './admin-api.js';

describe('the path of a call', () => {
  it('contains each value as one part, whatever it is', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (id) => {
        fc.pre(id !== '.' && id !== '..');
        const [, , part, rest] = new URL(`http://host${pathOf`/partners/${id}/wallet`}`).pathname.split('/');
        expect([decodeURIComponent(part ?? ''), rest]).toStrictEqual([id, 'wallet']);
      }),
    );
  });
});

describe('a path with a part that would lead to another path', () => {
  it.each(['.', '..'])('is not made: %s', (id) => {
    expect(() => pathOf`/partners/${id}/wallet`).toThrow(AdminApiError);
  });
});

describe('the query of a call', () => {
  it('contains the values that are set', () => {
    expect(queryOf({ a: 'x&y', b: undefined, c: null, d: '', e: 0, f: false })).toBe('?a=x%26y&e=0&f=false');
    expect(queryOf({ a: undefined })).toBe('');
  });
});

describe('the sentence of a call that failed', () => {
  it('names each field that was wrong', () => {
    const errors = { from: ['The from field is wrong.'], to: ['The to field is wrong.'] };
    const error = new AdminApiError(422, 'validation_failed', 'Validation Error', { errors });
    expect(error.sentence).toBe('Validation Error: The from field is wrong. The to field is wrong.');
    expect(new AdminApiError(404, 'route_not_found', 'There is no such page.').sentence).toBe('There is no such page.');
  });
});
