import { describe, expect, it } from '@jest/globals';
import { ABSENT, Amount, emptyShape, fieldsOf, Flag, ListOf, Nested, OneOf, Text } from './fields.js';

class Item {
  @Text({ required: true, max: 8 }) readonly name: string;
  @Flag() readonly checked?: boolean | null;
  @Text({ otherwise: ABSENT }) readonly note?: string | null;
}

abstract class Base {
  @Text() readonly last?: string | null;
}

class Everything extends Base {
  @OneOf(['a', 'b'], { otherwise: 'a', description: 'One of two.' }) readonly choice?: 'a' | 'b' | null;
  @Nested(Item) readonly item?: Item | null;
  @Nested(Item, { shown: 'as-recorded' }) readonly extract?: Item | null;
  @ListOf(Item, { max: 3 }) readonly items?: readonly Item[] | null;
  @Amount({ lookupOnly: true, otherwise: 0 }) readonly total: number;
}

describe('the fields of a class', () => {
  it('come in the order of their declaration, those of a base class last', () => {
    expect(fieldsOf(Everything).map(({ name }) => name)).toStrictEqual(['choice', 'item', 'extract', 'items', 'total', 'last']);
  });

  it('say what they hold, who may send them and what a lookup shows without them', () => {
    const [choice, , , , total] = fieldsOf(Everything);
    expect(choice).toStrictEqual({
      name: 'choice',
      kind: { is: 'one-of', values: ['a', 'b'] },
      required: false,
      lookupOnly: false,
      otherwise: 'a',
      description: 'One of two.',
    });
    expect(total).toMatchObject({ kind: { is: 'amount' }, lookupOnly: true, otherwise: 0 });
    expect(fieldsOf(Item)[0]).toMatchObject({ kind: { is: 'text', max: 8 }, required: true });
  });

  it('leave the fields of another class of the same base alone', () => {
    class Other extends Base {
      @Flag() readonly own?: boolean | null;
    }
    expect(fieldsOf(Other).map(({ name }) => name)).toStrictEqual(['own', 'last']);
    expect(fieldsOf(Everything)).toHaveLength(6);
  });

  it('make an empty shape in which nested objects are whole, and a field that may be absent is', () => {
    const item = { name: null, checked: false };
    expect(emptyShape(Item)).toStrictEqual(item);
    expect(emptyShape(Everything)).toStrictEqual({ choice: 'a', item, extract: null, items: [], total: 0, last: null });
  });
});
