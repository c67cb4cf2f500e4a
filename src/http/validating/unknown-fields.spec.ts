import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import { IsArray, IsObject, IsOptional, IsString } from 'class-validator';
import fc from 'fast-check';
import { createInstance, Nested } from './dto.js';
import { nearest, unexpectedFields, unknownFields } from './unknown-fields.js';

class Plot {
  @IsString() crop: string;
}
class Identity {
  @IsString() full_name: string;
}
class Base {
  @IsOptional() @IsString() mode?: string;
}
class Body extends Base {
  @IsOptional() @IsArray() sections?: string[];
  @IsOptional() @IsObject() payload?: object;
  @IsOptional() @Nested(() => Identity) identity?: Identity;
  @IsOptional() @Nested(() => Plot, { many: true }) plots?: Plot[];
}

const KNOWN = ['mode', 'sections', 'payload', 'identity', 'plots'];

describe('unknown fields', () => {
  it.each([
    [{ section: [] }, { section: ['The section field is not known. Did you mean sections?'] }],
    [{ Mode: 'live' }, { Mode: ['The Mode field is not known. Did you mean mode?'] }],
    [{ something_else: 1 }, { something_else: ['The something else field is not known.'] }],
    [
      { identity: { full_nam: 'x' } },
      { 'identity.full_nam': ['The identity.full nam field is not known. Did you mean identity.full_name?'] },
    ],
    [
      { plots: [{ crop: 'yam' }, { crops: 'yam' }] },
      { 'plots.1.crops': ['The plots.1.crops field is not known. Did you mean plots.1.crop?'] },
    ],
    [{ payload: { anything: { at: 'all' } } }, {}],
    [{ identity: 'text', plots: [null, 3, ['x']], sections: { a: 1 } }, {}],
    [
      JSON.parse('{"__proto__":{"a":1},"constructor":2,"toString":3}') as object,
      Object.fromEntries(
        ['__proto__', 'constructor', 'toString'].map((name) => [name, [`The ${name.replaceAll('_', ' ')} field is not known.`]]),
      ),
    ],
  ])('of %j are named', (sent, errors) => {
    expect(Object.entries(unknownFields(Body, sent))).toStrictEqual(Object.entries(errors));
  });

  it('are those that an instance leaves out, for any object', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.oneof(fc.constantFrom(...KNOWN), fc.string()), fc.string()), (sent) => {
        const kept = Object.keys(createInstance(Body, sent));
        expect(Object.keys(unknownFields(Body, sent)).sort()).toStrictEqual(
          Object.keys(sent)
            .filter((name) => !kept.includes(name))
            .sort(),
        );
      }),
    );
  });

  it('are all fields of a route that declares none', () => {
    expect(unexpectedFields({ limit: '1' })).toStrictEqual({ limit: ['The limit field is not known.'] });
  });
});

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
