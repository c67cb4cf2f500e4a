import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import {
  ArrayMaxSize,
  ArrayNotEmpty,
  IsArray,
  IsBoolean,
  IsIn,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Max,
  Min,
  validateSync,
} from 'class-validator';
import fc from 'fast-check';
import { createInstance, Nested } from './dto.js';
import { fieldErrors, unexpectedFields, unknownFields } from './field-errors.js';
import { IsDate8601, IsNaira, MaxLength, NullOr, Required } from './validation.js';

class Part {
  @Required() @IsString() @MaxLength(3) code: string;
  @IsOptional() @IsInt() @Min(0) @Max(9) count?: number;
}

class Base {
  @IsOptional() @IsDate8601() day?: string;
}

class Whole extends Base {
  @Required() @IsIn(['a', 'b']) letter: string;
  @NullOr() @Required() @IsNaira() @Min(0.01) amount: number | null;
  @IsOptional() @IsBoolean() flag?: boolean;
  @IsOptional() @IsArray() @ArrayNotEmpty() @ArrayMaxSize(2) @IsString({ each: true }) @MaxLength(3, { each: true }) texts?: string[];
  @IsOptional() @IsObject() object?: object;
  @IsOptional() @Nested(() => Part) part?: Part;
  @Required() @Nested(() => Part, { many: true }) @IsArray() parts: Part[];
}

const code = fc.constantFrom('abc', 'abcd', '', null, 1);
const part = fc.oneof(
  fc.record({ code, count: fc.constantFrom(0, 9, 10, 0.5, null) }, { requiredKeys: [] }),
  fc.constantFrom(null, 1, 'a', []),
);
const any = fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, fc.jsonValue({ maxDepth: 1 }));
const body = fc.record(
  {
    letter: fc.oneof(fc.constantFrom('a', 'b'), any),
    amount: fc.oneof(fc.constantFrom(1, 0.01, 0, 0.001, null), any),
    flag: fc.oneof(fc.boolean(), any),
    texts: fc.oneof(fc.array(fc.constantFrom('abc', 'abcd', 1, null), { maxLength: 3 }), any),
    object: fc.oneof(fc.constant({ a: 1 }), any),
    day: fc.oneof(fc.constantFrom('2026-01-01', '2026-02-30', ''), any),
    part,
    parts: fc.oneof(fc.array(part, { maxLength: 3 }), any),
  },
  { requiredKeys: [] },
);

/** Returns the paths that class-validator itself finds wrong. */
function pathsOf(errors: ReturnType<typeof validateSync>, prefix = ''): string[] {
  return errors.flatMap(({ property, constraints = {}, children = [] }) => [
    ...(Object.keys(constraints).length > 0 ? [prefix + property] : []),
    ...pathsOf(children, `${prefix}${property}.`),
  ]);
}

describe('the errors of the fields of an object', () => {
  it('are in the fields that class-validator finds wrong', () => {
    fc.assert(
      fc.property(body, (sent) => {
        const instance = createInstance(Whole, sent);
        // An item of a list of texts has an error of its own here.
        const found = Object.keys(fieldErrors(instance)).map((path) => path.replace(/^texts\.\d+$/, 'texts'));
        expect([...new Set(found)].sort()).toStrictEqual(pathsOf(validateSync(instance, { forbidUnknownValues: false })).sort());
      }),
      { numRuns: 1_000 },
    );
  });
});

class Plot {
  @IsString() crop: string;
}
class Identity {
  @IsString() full_name: string;
}
class Common {
  @IsOptional() @IsString() mode?: string;
}
class Body extends Common {
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
