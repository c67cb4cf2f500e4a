import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mayEnter } from './folder-access.js';

const STRANGER = { uid: 4_000_000, gid: 4_000_000 };

describe('mayEnter', () => {
  let root: string;

  beforeAll(() => {
    root = mkdtempSync(join(realpathSync(tmpdir()), 'folder-access-'));
    chmodSync(root, 0o755);
    for (const [name, mode] of [
      ['open', 0o711],
      ['closed', 0o700],
      ['group', 0o710],
      ['closed/inner', 0o755],
    ] as const) {
      mkdirSync(join(root, name));
      chmodSync(join(root, name), mode);
    }
    symlinkSync(join(root, 'closed', 'inner'), join(root, 'open', 'link'));
  });

  afterAll(() => {
    rmSync(root, { recursive: true, force: true });
  });

  it('is true for every user where others may traverse the folder', () => {
    expect(mayEnter(join(root, 'open'), STRANGER)).toBe(true);
    expect(mayEnter(join(root, 'open'), {})).toBe(true);
  });

  it('is false where a parent folder is closed', () => {
    expect(mayEnter(join(root, 'closed', 'inner'), STRANGER)).toBe(false);
    expect(mayEnter(join(root, 'closed', 'inner'), {})).toBe(false);
  });

  it("checks the parents of a symbolic link's target", () => {
    expect(mayEnter(join(root, 'open', 'link'), STRANGER)).toBe(false);
  });

  it('applies the mode bits of the owner and of the group', () => {
    const { uid, gid } = statSync(join(root, 'closed'));
    expect(mayEnter(join(root, 'closed'), { ...STRANGER, uid })).toBe(true);
    expect(mayEnter(join(root, 'group'), { ...STRANGER, gid })).toBe(true);
    expect(mayEnter(join(root, 'group'), STRANGER)).toBe(false);
  });

  it('judges a missing folder by its nearest existing parent', () => {
    expect(mayEnter(join(root, 'open', 'new', 'newer'), STRANGER)).toBe(true);
    expect(mayEnter(join(root, 'closed', 'new', 'newer'), STRANGER)).toBe(false);
  });
});
