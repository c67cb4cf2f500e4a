import { describe, expect, it } from '@jest/globals';
import { defineEntity, p } from '@mikro-orm/core';
import { indexableText } from '../database/postgres-text.js';
import { type RecordedEvent } from '../event-sourcing/recorded-event.js';
import { authenticatedColumns } from '../../../projections/columns.js';
import { ignored, indexableKey, type Key, projection } from './projection.js';

type Event =
  | { readonly type: 'Opened'; readonly data: { readonly id: string } }
  | { readonly type: 'Looked'; readonly data: { readonly id: string } }
  | { readonly type: 'Erased'; readonly data: { readonly id: string } };

const table = defineEntity({ name: 'shop', tableName: 'shop', properties: { id: p.string().primary(), note: p.string().nullable() } });
const opened = {
  keys: ({ data: { id } }: { data: { id: string } }) => [{ id }],
  apply: (_row: object | null, { data: { id } }: { data: { id: string } }) => ({ id, note: id }),
};
const erased = { wipe: ({ data: { id } }: { data: { id: string } }) => ({ where: { id }, columns: ['note'] }) };
const event = (type: Event['type'], id = '1'): RecordedEvent => ({ type, data: { id } }) as unknown as RecordedEvent;

describe('a projection', () => {
  const shops = projection<object, Event>({
    name: 'shop',
    version: 1,
    table,
    handlers: { Opened: opened, Looked: ignored, Erased: erased },
  });

  it('lists the event types that it handles, and not those that it ignores', () => {
    expect([...shops.types]).toStrictEqual(['Opened', 'Erased']);
    expect(shops.handler('Opened')?.keys(event('Opened'))).toStrictEqual([{ id: '1' }]);
    expect([shops.handler('Looked'), shops.handler('Erased')]).toStrictEqual([undefined, undefined]);
  });

  it('returns the columns and the condition of an event that wipes', () => {
    expect(shops.wipe(event('Erased'))).toStrictEqual({ where: { id: '1' }, columns: ['note'] });
    expect(shops.wipe(event('Opened'))).toBeUndefined();
  });

  it.each(['x'.repeat(2_000), 'a\0b', '\ud83c'])('fits a text that an index cannot hold into the indexed columns only', (id) => {
    const fitted = indexableText(id);
    const row = shops.handler('Opened')?.apply(null, event('Opened', id), { id }, [null]);
    expect(row).toStrictEqual({ id: fitted, note: id });
    expect(shops.wipe(event('Erased', id))).toStrictEqual({ where: { id: fitted }, columns: ['note'] });
    expect(indexableKey({ id, revision: 1 })).toStrictEqual({ id: fitted, revision: 1 });
  });

  it('returns a row without a MAC that holds if one of the rows that its event changes has none', () => {
    const withMacs = defineEntity({ name: 'safe', tableName: 'safe', properties: { id: p.string().primary(), ...authenticatedColumns } });
    const both = { keys: () => [{ id: '1' }, { id: '2' }], apply: (_row: object | null, _event: object, { id }: Key) => ({ id }) };
    const safes = projection<object, Event>({
      name: 'safe',
      version: 1,
      table: withMacs,
      handlers: { Opened: both, Looked: ignored, Erased: ignored },
    });
    const handler = safes.handler('Opened');
    const opened = { ...event('Opened'), revision: 7n };
    expect(handler?.apply(null, opened, { id: '1' }, [null, { id: '2' }])).toStrictEqual({ id: '1', event_revision: '7' });
    expect(handler?.apply(null, opened, { id: '1' }, [null, { id: '2', mac: '' }])).toStrictEqual({
      id: '1',
      event_revision: '7',
      mac: '',
    });
  });

  it('does not compile unless it handles or ignores every event type', () => {
    // @ts-expect-error the type Looked is left out
    const incomplete = projection<object, Event>({ name: 'shop', version: 1, table, handlers: { Opened: opened, Erased: erased } });
    expect(incomplete.types.has('Looked')).toBe(false);
  });
});
