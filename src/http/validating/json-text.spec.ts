import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mapped } from '../../platform/mapped.js';
import { jsonText } from './json-text.js';

/** Replaces every list in a value, outside of lists, with one that is read item by item. */
function unread(value: unknown): unknown {
  if (Array.isArray(value)) return mapped(value, (item: unknown) => item);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, unread(field)]));
}

describe('the JSON of lists that are read item by item', () => {
  it('equals the JSON of the same lists in memory', async () => {
    const fields = fc.jsonValue({ depthSize: 'medium' });
    await fc.assert(
      fc.asyncProperty(fields, fields, async (one, other) => {
        const value = { one, absent: undefined, nested: { other } };
        expect((await Array.fromAsync(jsonText(unread(value)))).join('')).toBe(JSON.stringify(value));
      }),
    );
  });
});
