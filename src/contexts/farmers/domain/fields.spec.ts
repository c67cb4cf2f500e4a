import { describe, expect, it } from '@jest/globals';
import { ABSENT, Amount, emptyShape, fieldsOf, Flag, ListOf, Nested, OneOf, Text } from './fields.js';

class Item {
  @Text({ required: true, max: 8 }) readonly name: string;
  @Flag() readonly checked?: boolean | null;
  @Text({ fallback: ABSENT }) readonly note?: string | null;
}

abstract class Base {
  @Text() readonly last?: string | null;
}

class Everything extends Base {
  @OneOf(['a', 'b'], { fallback: 'a', description: 'One of two.' }) readonly choice?: 'a' | 'b' | null;
  @Nested(Item) readonly item?: Item | null;
  @Nested(Item, { shown: 'as-recorded' }) readonly extract?: Item | null;
  @ListOf(Item, { max: 3 }) readonly items?: readonly Item[] | null;
  @Amount({ lookupOnly: true, fallback: 0 }) readonly total: number;
}

describe('the fields of a class', () => {
  it('are in the order of their declaration, those of a base class last', () => {
    expect(fieldsOf(Everything).map(({ name }) => name)).toStrictEqual(['choice', 'item', 'extract', 'items', 'total', 'last']);
  });

  it('describe their kind, whether they can be sent, and their fallback in a lookup', () => {
    const [choice, , , , total] = fieldsOf(Everything);
    expect(choice).toStrictEqual({
      name: 'choice',
      kind: { is: 'one-of', values: ['a', 'b'] },
      required: false,
      lookupOnly: false,
      fallback: 'a',
      description: 'One of two.',
    });
    expect(total).toMatchObject({ kind: { is: 'amount' }, lookupOnly: true, fallback: 0 });
    expect(fieldsOf(Item)[0]).toMatchObject({ kind: { is: 'text', max: 8 }, required: true });
  });

  it('do not mix with those of another class with the same base', () => {
    class Other extends Base {
      @Flag() readonly own?: boolean | null;
    }
    expect(fieldsOf(Other).map(({ name }) => name)).toStrictEqual(['own', 'last']);
    expect(fieldsOf(Everything)).toHaveLength(6);
  });

  it('determine an empty shape that has nested objects in full and omits absent fields', () => {
    const item = { name: null, checked: false };
    expect(emptyShape(Item)).toStrictEqual(item);
    expect(emptyShape(Everything)).toStrictEqual({ choice: 'a', item, extract: null, items: [], total: 0, last: null });
  });
});
