import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bankDate, dateOrder, needsOrder } from './bank-dates.js';

describe('a date in a bank’s file', () => {
  it.each([
    ['2026-03-09', '2026-03-09'],
    ['2026/3/9', '2026-03-09'],
    ['2026-03-09T14:30:00Z', '2026-03-09'],
    ['2026-03-09 14:30:00', '2026-03-09'],
    ['09/03/2026', '2026-03-09'],
    ['9.3.2026', '2026-03-09'],
    ['09-03-26', '2026-03-09'],
    ['09/03/2026 02:30 PM', '2026-03-09'],
    ['09-Mar-2026', '2026-03-09'],
    ['09-MAR-26', '2026-03-09'],
    ['9 March 2026', '2026-03-09'],
    ['09Mar2026', '2026-03-09'],
    ['9th Sept. 2026', '2026-09-09'],
    ['March 9, 2026', '2026-03-09'],
    ['Mar-09-26', '2026-03-09'],
    ['20260309', '2026-03-09'],
    ['09-MAR-26 10.22.15.000000 PM', '2026-03-09'],
    ['09/03/2026\u00a0- 10:22', '2026-03-09'],
    [' 29/02/2028 ', '2028-02-29'],
  ])('%j is read', (text, date) => {
    expect(bankDate(text, 'day_first')).toBe(date);
  });

  it.each([
    '',
    'yesterday',
    '31/02/2026',
    '29/02/2026',
    '13/13/2026',
    '00/01/2026',
    '2026-13-01',
    '9 Mars 2026',
    '09/03-2026',
    '09/03/202',
    '2026309',
    'Mar 2026',
  ])('%j is not read', (text) => {
    expect(bankDate(text, 'day_first')).toBeUndefined();
  });

  it('has the day first unless a date of the file shows otherwise', () => {
    expect(dateOrder(['03/04/2026', '05/06/2026'])).toStrictEqual({ order: 'day_first', known: false });
    expect(dateOrder(['03/04/2026', '13/04/2026'])).toStrictEqual({ order: 'day_first', known: true });
    expect(dateOrder(['03/04/2026', '04/13/2026'])).toStrictEqual({ order: 'month_first', known: true });
    expect(dateOrder(['2026-04-13', '13 April 2026'])).toStrictEqual({ order: 'day_first', known: false });
    expect(dateOrder(['13/04/2026', '04/13/2026'])).toStrictEqual({ order: 'day_first', known: true });
    expect(['03/04/2026', '2026-04-03', '3 April 2026'].map(needsOrder)).toStrictEqual([true, false, false]);
  });

  it('is read in either order, whatever it is', () => {
    const separator = fc.constantFrom('/', '.', '-', ' ');
    const any = fc.date({ min: new Date('2000-01-01'), max: new Date('2099-12-31'), noInvalidDate: true });
    fc.assert(
      fc.property(any, separator, fc.boolean(), (time, between, isShort) => {
        const iso = time.toISOString().slice(0, 10);
        const [year = '', month = '', day = ''] = iso.split('-');
        const shown = isShort ? year.slice(2) : year;
        expect(bankDate([day, month, shown].join(between), 'day_first')).toBe(iso);
        expect(bankDate([month, day, shown].join(between), 'month_first')).toBe(iso);
      }),
    );
  });
});
