import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { nearest } from './nearest-name.js';

const KNOWN = ['rupa_id', 'sections', 'mode'];

describe('the nearest name', () => {
  it('is within two edits, or within one of a name of up to three letters', () => {
    expect(nearest('sectoins', KNOWN)).toBe('sections');
    expect(nearest('sectio', KNOWN)).toBe('sections');
    expect(nearest('secti', KNOWN)).toBeUndefined();
    expect(nearest('mod', KNOWN)).toBe('mode');
    expect(nearest('mo', KNOWN)).toBeUndefined();
    expect(nearest('x'.repeat(100_000), KNOWN)).toBeUndefined();
  });

  it('is the first of equally near ones', () => {
    expect(nearest('to', ['from', 'ton', 'too'])).toBe('ton');
  });

  it('is the name itself after up to two edits of it', () => {
    const letter = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f');
    const word = fc.string({ unit: letter, minLength: 6, maxLength: 10 });
    fc.assert(
      fc.property(
        word,
        fc.array(fc.tuple(fc.nat(5), letter, fc.constantFrom('replace', 'insert', 'delete')), { maxLength: 2 }),
        (name, edits) => {
          const edited = edits.reduce((text, [at, other, kind]) => {
            return text.slice(0, at) + (kind === 'delete' ? '' : other) + text.slice(kind === 'insert' ? at : at + 1);
          }, name);
          expect(nearest(edited, [name])).toBe(name);
        },
      ),
    );
  });
});
