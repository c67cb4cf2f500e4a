import { describe, expect, it } from '@jest/globals';
import { defineEntity, p } from '@mikro-orm/core';
import { type RecordedEvent } from '../event-sourcing/recorded-event.js';
import { ignored, projection } from './projection.js';

type Event =
  | { readonly type: 'Opened'; readonly data: { readonly id: string } }
  | { readonly type: 'Looked'; readonly data: { readonly id: string } }
  | { readonly type: 'Erased'; readonly data: { readonly id: string } };

const table = defineEntity({ name: 'shop', tableName: 'shop', properties: { id: p.string().primary(), note: p.string().nullable() } });
const opened = { keys: ({ data: { id } }: { data: { id: string } }) => [{ id }], apply: () => ({ id: '1', note: null }) };
const erased = { wipe: ({ data: { id } }: { data: { id: string } }) => ({ where: { id }, columns: ['note'] }) };
const event = (type: Event['type']): RecordedEvent => ({ type, data: { id: '1' } }) as unknown as RecordedEvent;

describe('a projection', () => {
  const shops = projection<object, Event>({
    name: 'shop',
    version: 1,
    table,
    handlers: { Opened: opened, Looked: ignored, Erased: erased },
  });

  it('lists the event types that it handles, and not those that it ignores', () => {
    expect([...shops.types]).toStrictEqual(['Opened', 'Erased']);
    expect(shops.handler('Opened')).toBe(opened);
    expect([shops.handler('Looked'), shops.handler('Erased')]).toStrictEqual([undefined, undefined]);
  });

  it('returns the columns and the condition of an event that wipes', () => {
    expect(shops.wipe(event('Erased'))).toStrictEqual({ where: { id: '1' }, columns: ['note'] });
    expect(shops.wipe(event('Opened'))).toBeUndefined();
  });

  it('does not compile unless it handles or ignores every event type', () => {
    // @ts-expect-error the type Looked is left out
    const incomplete = projection<object, Event>({ name: 'shop', version: 1, table, handlers: { Opened: opened, Erased: erased } });
    expect(incomplete.types.has('Looked')).toBe(false);
  });
});
