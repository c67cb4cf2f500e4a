import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { MAX_KOBO } from '../../../../kernel/money.js';
import { bankAmount } from './bank-amount.js';

describe('an amount in a bank’s file', () => {
  it.each([
    ['1234.56', 1234_56],
    ['1,234.56', 1234_56],
    ['1.234,56', 1234_56],
    ['1 234,56', 1234_56],
    ['1\u00a0234,56', 1234_56],
    ['1\u202f234,56', 1234_56],
    ["1'234.56", 1234_56],
    ['1,234', 1234_00],
    ['1.234', 1234_00],
    ['1.234.567', 1234567_00],
    ['1,234,567.8', 1234567_80],
    ['1234,5', 1234_50],
    ['0.50', 50],
    ['500.', 500_00],
    [' 500 ', 500_00],
    ['₦1,234.56', 1234_56],
    ['₦ 1,234.56', 1234_56],
    ['NGN 1,234.56', 1234_56],
    ['ngn1.234,56', 1234_56],
    ['1,234.56 NGN', 1234_56],
    ['N1,234.56', 1234_56],
    ['+5.00', 5_00],
    ['-5.00', -5_00],
    ['−5.00', -5_00],
    ['5.00-', -5_00],
    ['(5.00)', -5_00],
    ['-₦5.00', -5_00],
    ['₦-5.00', -5_00],
    ['5.00 CR', 5_00],
    ['5.00DR', -5_00],
    ['-5.00 Dr.', -5_00],
    ['(5.00) DR', -5_00],
    ['1,234.56CR', 1234_56],
    ['=N=1,234.56', 1234_56],
    ['?1,234.56', 1234_56],
    ['1234.5600', 1234_56],
    ['0', 0],
    ['-0.00', 0],
  ])('%j is read', (text, kobo) => {
    expect(bankAmount(text)).toBe(kobo);
  });

  it.each([
    '',
    'n/a',
    '1.2.3',
    '1,23,456.00',
    '12,345.678',
    '0.500',
    '1.234,567',
    '1,234,56',
    '--5',
    '(-5)',
    '-5.00 CR',
    '5 USD',
    '1e3',
    '0x10',
    '٣',
  ])('%j is not read', (text) => {
    expect(bankAmount(text)).toBeUndefined();
  });

  it('is not read if the ledger could not hold it', () => {
    expect(bankAmount(String(MAX_KOBO))).toBeUndefined();
  });

  it('is read in every style, whatever it is', () => {
    const style = fc.constantFrom([',', '.'], ['.', ','], [' ', ','], ['\u00a0', '.'], ["'", '.'], ['', '.'], ['', ',']);
    const around = fc.constantFrom(['', ''], ['₦', ''], ['NGN ', ''], ['', ' NGN'], ['₦ ', '']);
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: MAX_KOBO }),
        style,
        around,
        fc.boolean(),
        (kobo, [group = '', point = ''], [a = '', b = ''], out) => {
          const naira = String(Math.floor(kobo / 100)).replaceAll(/\B(?=(?:\d{3})+$)/g, group);
          const text = `${out ? '-' : ''}${a}${naira}${point}${String(kobo % 100).padStart(2, '0')}${b}`;
          expect(bankAmount(text)).toBe(out && kobo > 0 ? -kobo : kobo);
        },
      ),
    );
  });
});
