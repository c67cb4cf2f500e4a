import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mayEnter } from './reach.js';

const STRANGER = { uid: 4_000_000, gid: 4_000_000 };

describe('mayEnter', () => {
  let root: string;

  beforeAll(() => {
    root = mkdtempSync(join(realpathSync(tmpdir()), 'reach-'));
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

  it('lets anybody through where others may pass', () => {
    expect(mayEnter(join(root, 'open'), STRANGER)).toBe(true);
    expect(mayEnter(join(root, 'open'), {})).toBe(true);
  });

  it('asks every folder above', () => {
    expect(mayEnter(join(root, 'closed', 'inner'), STRANGER)).toBe(false);
    expect(mayEnter(join(root, 'closed', 'inner'), {})).toBe(false);
  });

  it("asks the folders above a link's target", () => {
    expect(mayEnter(join(root, 'open', 'link'), STRANGER)).toBe(false);
  });

  it('knows the owner and its group', () => {
    const { uid, gid } = statSync(join(root, 'closed'));
    expect(mayEnter(join(root, 'closed'), { ...STRANGER, uid })).toBe(true);
    expect(mayEnter(join(root, 'group'), { ...STRANGER, gid })).toBe(true);
    expect(mayEnter(join(root, 'group'), STRANGER)).toBe(false);
  });

  it('judges what does not exist yet by what does', () => {
    expect(mayEnter(join(root, 'open', 'new', 'newer'), STRANGER)).toBe(true);
    expect(mayEnter(join(root, 'closed', 'new', 'newer'), STRANGER)).toBe(false);
  });
});
