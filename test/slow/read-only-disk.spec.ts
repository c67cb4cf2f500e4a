import { describe, expect, it } from '@jest/globals';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rupa } from '../support/rupa.js';
import { startWithoutWaiting } from '../support/starting.js';

/** Mounting needs root and a kernel that allows it. embedded/disk-faults.spec.ts has the same errors anywhere. */
function ownDisk(): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'read-only-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=256m,mode=711', 'tmpfs', folder], { stdio: 'ignore' });
    return folder;
  } catch {
    rmSync(folder, { recursive: true });
    return undefined;
  }
}

describe('a data folder on a read-only file system', () => {
  it('ends a start, and every command, with a sentence that says what to do', async () => {
    const disk = ownDisk();
    if (disk === undefined) return;
    try {
      expect((await rupa(disk, ['demo', '--farmers', '1'])).code).toBe(0);
      execFileSync('mount', ['-o', 'remount,ro', disk]);
      const sentence = `cannot be written (EROFS): its file system is read-only. Make it writable, or set DATA_DIR to a folder on another one.`;
      for (const dataDir of [disk, join(disk, 'new')]) {
        const started = startWithoutWaiting({ DATA_DIR: dataDir });
        expect([await started.exited, started.output()]).toStrictEqual([1, `${dataDir} ${sentence}\n`]);
      }
      expect(await rupa(disk, ['wallet', 'verify'])).toStrictEqual({ code: 1, out: '', err: `${disk} ${sentence}\n` });
      expect(await rupa(disk, ['events', 'check'])).toMatchObject({ code: 1, err: expect.stringContaining(`event-store ${sentence}`) });
      expect(await rupa(disk, ['doctor'])).toMatchObject({
        code: 1,
        out: expect.stringContaining('(EROFS): its file system is read-only'),
      });
      expect(existsSync(join(disk, 'new'))).toBe(false);
      execFileSync('mount', ['-o', 'remount,rw', disk]);
      expect((await rupa(disk, ['wallet', 'verify'])).code).toBe(0);
    } finally {
      execFileSync('umount', [disk]);
      rmSync(disk, { recursive: true });
    }
  });
});
