import 'reflect-metadata';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { badTypedAmounts } from '../../../test/support/unit/violations.js';
import { DELIVERY_STATUSES } from '../../contexts/webhooks/endpoints/webhook-responses.dto.js';
import { DeliveriesQueryDto } from '../../contexts/webhooks/endpoints/webhooks.dto.js';
import { amountInKobo, fieldOf, id, wholeNumber } from './values.js';

describe('a whole number that an operator types', () => {
  it('is read if it has decimal digits only and is within its limits', () => {
    fc.assert(
      fc.property(fc.integer({ min: -50, max: 150 }), (number) => {
        const read = (): number => wholeNumber(1, 100)(String(number));
        if (number >= 1 && number <= 100) expect(read()).toBe(number);
        else expect(read).toThrow('It must be a whole number from 1 to 100.');
      }),
    );
  });

  it.each(['', ' ', '0x10', '1e1', '+5', '5.0', '5 ', 'Infinity', 'NaN', '５', '0'.repeat(16)])('is not %j', (text) => {
    expect(() => wholeNumber(0, 100)(text)).toThrow('It must be a whole number from 0 to 100.');
  });
});

describe('an amount that an operator types', () => {
  it('is read to the kobo', () => {
    expect(['1500', '1500.5', '1500.50', '0.01'].map(amountInKobo)).toStrictEqual([1500_00, 1500_50, 1500_50, 1]);
  });

  it.each(badTypedAmounts.filter((text) => Number(text) !== 0 || text.trim() === '' || text.startsWith('-')))('is not %j', (text) => {
    expect(() => amountInKobo(text)).toThrow('It must be an amount in NGN with at most two decimals, such as 1500 or 1500.50.');
  });
});

describe('an id that an operator types', () => {
  it('is a UUID in any case', () => {
    fc.assert(
      fc.property(fc.uuid(), (uuid) => {
        expect(id(uuid.toUpperCase())).toBe(uuid);
        expect(() => id(`${uuid}/`)).toThrow('It must be an id');
      }),
    );
  });
});

describe('an option that is a field of an HTTP query', () => {
  it('is converted as the field is', () => {
    expect(DELIVERY_STATUSES.map(fieldOf(DeliveriesQueryDto, 'status'))).toStrictEqual(DELIVERY_STATUSES);
    expect(fieldOf(DeliveriesQueryDto, 'from')('2026-03-01')).toBe('2026-03-01T00:00:00.000Z');
    expect(fieldOf(DeliveriesQueryDto, 'to')('2026-03-01T10:00:00+01:00')).toBe('2026-03-01T10:00:00+01:00');
    expect(fieldOf(DeliveriesQueryDto, 'rupa_id')('RP-Filtered-1')).toBe('rp-filtered-1');
  });

  it.each([
    ['status', 'sent', 'The status field must be one of pending, delivered, failed, exhausted, cancelled.'],
    ['status', '', 'The status field must be one of'],
    ['from', 'yesterday', 'The from field must be an ISO 8601 date or timestamp'],
    ['to', '2026-03-01T10:00:00', 'The to field must have an offset'],
    ['rupa_id', 'rp_1', 'The rupa id field must have 1 to 64 letters'],
  ] as const)('is refused with the sentence of the field %s: %j', (name, text, sentence) => {
    expect(() => fieldOf(DeliveriesQueryDto, name)(text)).toThrow(sentence);
  });
});
