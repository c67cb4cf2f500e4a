import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DataFolder, findRunning, openDataFolder, resolveDataDir } from './data-folder.js';

const asRoot = process.getuid?.() === 0;
const modeOf = (path: string): number => statSync(path).mode & 0o777;

let root: string;
let opened: DataFolder[];

beforeEach(() => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'data-folder-'));
  chmodSync(root, 0o755);
  opened = [];
});

afterEach(async () => {
  for (const folder of opened) await folder.release();
  rmSync(root, { recursive: true, force: true });
});

async function open(path: string): Promise<DataFolder> {
  const folder = await openDataFolder(path);
  opened.push(folder);
  return folder;
}

describe('resolveDataDir', () => {
  it('resolves DATA_DIR against the project', () => {
    expect(resolveDataDir('/srv/rupa', root)).toBe('/srv/rupa');
    expect(resolveDataDir('elsewhere', root)).toBe(join(root, 'elsewhere'));
  });

  it('returns .data in a project that every user may enter', () => {
    expect(resolveDataDir(undefined, root)).toBe(join(root, '.data'));
  });

  it("returns a folder outside of root's project when other users may not enter the project", () => {
    const project = join(root, 'project');
    mkdirSync(project);
    chmodSync(root, 0o700);
    const resolved = resolveDataDir(undefined, project);
    if (asRoot) {
      expect(resolved).toMatch(/\/rupa-ledger-[0-9a-f]{12}$/);
      expect(resolved.startsWith(root)).toBe(false);
      expect(resolveDataDir(undefined, project)).toBe(resolved);
      expect(resolveDataDir(undefined, join(root, 'other'))).not.toBe(resolved);
    } else {
      expect(resolved).toBe(join(project, '.data'));
    }
  });
});

describe('openDataFolder', () => {
  it.each([
    ['under a file', 'file/data', 'ENOTDIR'],
    ['that is a link to nowhere', 'link', 'ENOENT'],
    ['under a link to nowhere, as of a volume that is not mounted', 'link/data', 'ENOTDIR'],
    ['with a name that is too long', 'x'.repeat(300), 'ENAMETOOLONG'],
  ])('names DATA_DIR for a folder %s', async (_case, path, code) => {
    writeFileSync(join(root, 'file'), '');
    symlinkSync(join(root, 'nowhere'), join(root, 'link'));
    const folder = join(root, path);
    await expect(openDataFolder(folder)).rejects.toThrow(
      `${folder} cannot be created (${code}): part of its path is no folder, is a link that leads nowhere, or is too long. Mend the path, or set DATA_DIR to another folder.`,
    );
  });

  it('creates a folder that other users can at most traverse', async () => {
    await open(join(root, 'data'));
    expect(modeOf(join(root, 'data'))).toBe(asRoot ? 0o711 : 0o700);
  });

  it('keeps the mode of an existing folder, and refuses one that is open to others with the command that mends it', async () => {
    mkdirSync(join(root, 'data'));
    chmodSync(join(root, 'data'), 0o755);
    const refusal = await openDataFolder(join(root, 'data')).catch((error: unknown) => (error as Error).message);
    expect(refusal).toMatch(/data is open to other users \(mode 0755\)\. Run: chmod (711|go-rwx) \S+data$/);
    expect(readdirSync(join(root, 'data'))).toStrictEqual([]);
    chmodSync(join(root, 'data'), 0o710);
    await open(join(root, 'data'));
    expect(modeOf(join(root, 'data'))).toBe(0o710);
  });

  it('refuses a link', async () => {
    mkdirSync(join(root, 'elsewhere'), { mode: 0o700 });
    symlinkSync(join(root, 'elsewhere'), join(root, 'data'));
    await expect(openDataFolder(join(root, 'data'))).rejects.toThrow('Set DATA_DIR to the folder itself.');
    expect(readdirSync(join(root, 'elsewhere'))).toStrictEqual([]);
  });

  it('creates secrets in the documented formats, readable to the owner only', async () => {
    const { secrets, secretsPath } = await open(join(root, 'data'));
    const [id, key] = secrets.masterKey.split(':');
    expect(id).toBe('k1');
    expect(Buffer.from(key ?? '', 'base64')).toHaveLength(32);
    expect(secrets.adminToken).toMatch(/^rupa_admin_[\w-]{43}$/);
    expect(secrets.auditorToken).toMatch(/^rupa_auditor_[\w-]{43}$/);
    expect(modeOf(secretsPath)).toBe(0o600);
  });

  it('keeps the secrets of an earlier start', async () => {
    const first = await open(join(root, 'data'));
    await first.release();
    const second = await open(join(root, 'data'));
    expect(second.secrets).toEqual(first.secrets);
  });

  it('refuses to create new secrets next to stores that were written under other ones', async () => {
    mkdirSync(join(root, 'data', 'event-store'), { recursive: true, mode: 0o700 });
    await expect(openDataFolder(join(root, 'data'))).rejects.toThrow(/secrets\.json is missing/);
    expect(existsSync(join(root, 'data', 'secrets.json'))).toBe(false);
  });

  it('refuses a folder that is in use, and opens it after its release', async () => {
    const first = await open(join(root, 'data'));
    await expect(openDataFolder(join(root, 'data'))).rejects.toThrow(
      `is in use by process ${process.pid}. Stop that one first, or set DATA_DIR to another folder.`,
    );
    await first.release();
    const second = await open(join(root, 'data'));
    expect(second.path).toBe(join(root, 'data'));
  });
});

describe('findRunning', () => {
  const address = 'http://127.0.0.1:3000';

  it('finds no service before one is announced', async () => {
    expect(await findRunning(join(root, 'data'))).toBeUndefined();
    await open(join(root, 'data'));
    expect(await findRunning(join(root, 'data'))).toBeUndefined();
  });

  it('returns the addresses of the service and its stores, from a file that only the owner can read', async () => {
    const folder = await open(join(root, 'data'));
    await folder.announce({ address, databaseUrl: 'postgres://127.0.0.1:1/rupa' });
    const running = await findRunning(folder.path);
    expect(running).toEqual({
      pid: process.pid,
      address,
      databaseUrl: 'postgres://127.0.0.1:1/rupa',
      secrets: folder.secrets,
      secretsPath: folder.secretsPath,
    });
    expect(modeOf(join(folder.path, 'running.json'))).toBe(0o600);
  });

  it('finds no service after it has withdrawn its announcement', async () => {
    const folder = await open(join(root, 'data'));
    await folder.announce({ address });
    await folder.withdraw();
    expect(await findRunning(folder.path)).toBeUndefined();
  });

  it('refuses a folder in which another user could announce a service', async () => {
    const folder = await open(join(root, 'data'));
    await folder.announce({ address });
    chmodSync(folder.path, 0o777);
    await expect(findRunning(folder.path)).rejects.toThrow('is open to other users (mode 0777)');
  });

  it('ignores the announcement of a killed process, even after another process has locked the folder', async () => {
    const first = await open(join(root, 'data'));
    await first.release();
    writeFileSync(join(first.path, 'running.json'), JSON.stringify({ pid: 1, address }));
    expect(await findRunning(first.path)).toBeUndefined();
    await open(first.path);
    expect(await findRunning(first.path)).toBeUndefined();
  });
});
