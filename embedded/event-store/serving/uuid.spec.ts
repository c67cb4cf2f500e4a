import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Fields } from '../../../src/platform/event-sourcing/coding/protobuf.js';
import { canonicalUuid, structuredUuid } from './uuid.js';
import { uuidText } from './wire.js';

describe('a UUID', () => {
  it('is understood in every form that EventStoreDB accepts', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        const forms = [uuid, uuid.replaceAll('-', ''), `{${uuid}}`, `(${uuid})`, ` ${uuid} `, `\t{${uuid}}\n`];
        for (const form of [...forms, ...forms.map((each) => each.toUpperCase())]) expect(canonicalUuid(form)).toBe(uuid);
      }),
    );
  });

  it.each(['', 'nonsense', '{}', '()', '0a1b2c3d', '{0a1b2c3d00004000800000000000000f}', '0a1b2c3d-0000-4000-8000-00000000000g'])(
    'is not %j',
    (text) => {
      expect(canonicalUuid(text)).toBeUndefined();
    },
  );

  it('is not a UUID with one character more or less', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.nat(35), (uuid, at) => {
        // A missing hyphen before other hyphens, or any missing digit.
        expect(canonicalUuid(uuid.slice(0, at) + uuid.slice(at + 1))).toBeUndefined();
        expect(canonicalUuid(`${uuid.slice(0, at)}0${uuid.slice(at)}`)).toBeUndefined();
      }),
    );
  });

  it('is the same in the form of two halves', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        const encoded = Buffer.from(structuredUuid(uuid).serializeBinary());
        expect(structuredUuid(uuid).hasStructured()).toBe(true);
        expect(uuidText(new Fields(encoded))).toBe(uuid);
      }),
    );
  });
});
