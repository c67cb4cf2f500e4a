import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { oddTexts } from '../../../test/support/unit/odd-texts.js';
import { indexableText, storableJson, storableText } from './postgres-text.js';

const MAX_INDEXED_BYTES = 1_024;
const units = fc.string({ unit: fc.constantFrom('\0', '\ud83c', '\udf3e', 'a', 'ẹ', '🌾', '\ufffd', '…'), maxLength: 700, size: 'max' });
const anyText = fc.oneof(units, fc.constantFrom(...Object.values(oddTexts())));
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');

describe('any text', () => {
  it('is storable with a replacement in place of what PostgreSQL cannot store, and unchanged if there is nothing to replace', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(isStorable(storableText(text))).toBe(true);
        if (isStorable(text)) expect(storableText(text)).toBe(text);
      }),
    );
  });

  it('fits into an index, unchanged if it is short and storable, and not changed again', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const fitted = indexableText(text);
        expect(isStorable(fitted) && Buffer.byteLength(fitted) <= MAX_INDEXED_BYTES).toBe(true);
        expect(indexableText(fitted)).toBe(fitted);
        if (isStorable(text) && Buffer.byteLength(text) <= MAX_INDEXED_BYTES) expect(fitted).toBe(text);
      }),
    );
  });

  it('has a form in an index that no other text has', () => {
    fc.assert(
      fc.property(anyText, anyText, (one, other) => {
        expect(indexableText(one) === indexableText(other)).toBe(one === other);
      }),
    );
    const halves = ['\ud83c', '\udf3e', '\0', '\ufffd'];
    expect(new Set(halves.map(indexableText)).size).toBe(halves.length);
  });

  it('shows its beginning and its SHA-256 in an index if it is too long', () => {
    expect(indexableText('a'.repeat(2_000))).toBe(
      `${'a'.repeat(200)}… sha256:c4a700f85b7e9e5cdbdc51170409ee2ad48bebe2f2f0957a067937531a0a3c42`,
    );
  });
});

describe('JSON that is storable', () => {
  it('is the usual JSON of a value without texts that PostgreSQL cannot store', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        expect(storableJson(JSON.parse(json))).toBe(json);
      }),
    );
    expect(storableJson({ text: '\\u0000 \\ud83c' })).toBe(JSON.stringify({ text: '\\u0000 \\ud83c' }));
  });

  it('has replacements in texts and keys at any depth', () => {
    fc.assert(
      fc.property(fc.object({ key: units, values: [anyText, fc.integer(), fc.constant(null)] }), (value) => {
        const json = storableJson(value);
        expect(/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/.test(json)).toBe(false);
        expect(JSON.parse(json)).toBeDefined();
      }),
    );
  });
});
