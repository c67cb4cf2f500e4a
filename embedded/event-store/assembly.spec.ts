import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { Assembly } from './assembly.js';
import { type ProposedEvent } from './serving/wire.js';

const MEBIBYTE = 1024 * 1024;
const event = (over: Partial<ProposedEvent> = {}): ProposedEvent => ({
  id: '0a1b2c3d-0000-4000-8000-00000000000f',
  type: Buffer.from('Noted'),
  contentType: Buffer.from('application/json'),
  data: Buffer.alloc(0),
  customMetadata: Buffer.alloc(0),
  ...over,
});
const assemblyFor = (stream: string): Assembly =>
  new Assembly({ stream: Buffer.from(stream), expected: { kind: 'any' }, deadline: undefined }, MEBIBYTE);
const part = (events: ProposedEvent[]) => ({
  correlationId: Buffer.alloc(0),
  correlation: undefined,
  options: undefined,
  events,
  isFinal: false,
  requestBytes: 1_000,
});

describe('an append in parts', () => {
  it('is refused as soon as its data are larger than the limit, and holds none of them', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(MEBIBYTE), { minLength: 1, maxLength: 6 }), (sizes) => {
        const assembly = assemblyFor('s');
        let sum = 0;
        for (const size of sizes) {
          assembly.add(part([event({ data: Buffer.alloc(size), customMetadata: Buffer.alloc(MEBIBYTE) })]));
          sum += size;
          expect(assembly.rejection?.kind).toBe(sum > MEBIBYTE ? 'too_large' : undefined);
        }
        expect(assembly.events).toHaveLength(sum > MEBIBYTE ? 0 : sizes.length);
        expect(assembly.heldBytes).toBeLessThan(sum > MEBIBYTE ? 1_000 : 8_000);
      }),
    );
  });

  it.each<[string, string, () => ProposedEvent[][]]>([
    ['more than 25,000 events', 's', () => Array.from({ length: 3 }, () => Array.from({ length: 10_000 }, () => event()))],
    ['an event that a reader could not receive', 's'.repeat(9 * MEBIBYTE), () => [[event({ customMetadata: Buffer.alloc(8 * MEBIBYTE) })]]],
    ['a long name that the log would repeat too often', 's'.repeat(MEBIBYTE), () => [Array.from({ length: 70 }, () => event())]],
  ])('with %s is refused as not implemented', (_case, stream, parts) => {
    const assembly = assemblyFor(stream);
    for (const events of parts()) assembly.add(part(events));
    expect(assembly.rejection).toMatchObject({ kind: 'unimplemented', message: expect.stringContaining('not implemented') });
    expect(assembly.events).toEqual([]);
  });
});
