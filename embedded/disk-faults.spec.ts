import { describe, expect, it } from '@jest/globals';
import { constants } from 'node:os';
import { explainDiskFault } from './disk-faults.js';

describe('a data folder that cannot be written', () => {
  it.each(['EROFS', 'EACCES', 'EPERM', 'ENOSPC', 'EDQUOT', 'EIO'] as const)('is named with the reason and the next step: %s', (code) => {
    for (const given of [code, constants.errno[code]]) {
      const explained = explainDiskFault(Object.assign(new Error('raw'), { code: given }), '/srv/rupa') as Error;
      expect(explained.message).toMatch(new RegExp(`^/srv/rupa cannot be written \\(${code}\\): .+\\. ?.+\\.$`));
      expect(explained.message).not.toContain('raw');
    }
  });

  it('leaves every other error as it is', () => {
    for (const error of [
      new Error('raw'),
      Object.assign(new Error('raw'), { code: 'EEXIST' }),
      new Error('raw', { cause: { code: 'EROFS' } }),
    ])
      expect(explainDiskFault(error, '/srv/rupa')).toBe(error);
  });
});
