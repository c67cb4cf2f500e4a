import { describe, expect, it } from '@jest/globals';
import { ShownModels } from './checkpoints.js';

describe('how far the read models show the log', () => {
  it('is as far as each batch for those that took part in it', () => {
    const shown = new ShownModels();
    expect(shown.show(0n)).toBe(false);
    shown.announced({ position: 5n, behind: [] });
    shown.announced({ position: 9n, behind: ['faulted'] });
    expect([shown.of('any'), shown.of('faulted')]).toStrictEqual([9n, 5n]);
    expect([shown.show(9n), shown.show(9n, ['any']), shown.show(9n, ['any', 'faulted']), shown.show(5n, ['faulted'])]).toStrictEqual([
      true,
      true,
      false,
      true,
    ]);
    shown.announced({ position: 12n, behind: ['faulted', 'too'] });
    expect([shown.of('faulted'), shown.of('too')]).toStrictEqual([5n, 9n]);
    shown.announced({ position: 12n, behind: [] });
    expect([shown.of('faulted'), shown.of('too')]).toStrictEqual([12n, 12n]);
  });

  it('is corrected by the positions in the database, unless they are older than what was announced', () => {
    const shown = new ShownModels();
    const positions = (any: bigint, faulted: bigint) =>
      new Map([
        ['any', any],
        ['faulted', faulted],
      ]);
    shown.read(positions(9n, 3n));
    expect([shown.of('any'), shown.of('faulted')]).toStrictEqual([9n, 3n]);
    shown.read(positions(9n, 9n));
    expect(shown.of('faulted')).toBe(9n);
    shown.announced({ position: 12n, behind: ['faulted'] });
    shown.read(positions(9n, 3n));
    expect([shown.of('any'), shown.of('faulted')]).toStrictEqual([12n, 9n]);
  });
});
