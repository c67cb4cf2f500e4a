import { describe, expect, it } from '@jest/globals';
import { type QueryBus } from '@nestjs/cqrs';
import { GetPartnersPage } from '../../contexts/partners/registering/get-partners.query.js';
import { partnersNamed } from './partner-field.js';

describe('a search for partners by name', () => {
  const asked: unknown[] = [];
  const execute = (query: unknown): Promise<object> => {
    asked.push(query);
    return Promise.resolve({ items: [], next_cursor: null });
  };
  const queries = { execute } as unknown as QueryBus;

  it('asks for what the list of partners takes', async () => {
    await partnersNamed({ queries }, ' sahel ');
    await partnersNamed({ queries }, '');
    expect(asked).toStrictEqual([
      new GetPartnersPage({ search: 'sahel' }, 'newest', 50),
      new GetPartnersPage({ search: undefined }, 'newest', 50),
    ]);
  });

  it.each([
    ['NUL', 'a\0b'],
    ['half a surrogate pair', '\ud83c'],
    ['256 characters', 'x'.repeat(256)],
  ])('refuses a name with %s', async (_what, name) => {
    await expect(partnersNamed({ queries }, name)).rejects.toMatchObject({ status: 422, code: 'validation_failed' });
  });
});
