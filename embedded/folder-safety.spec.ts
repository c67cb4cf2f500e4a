import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { folderFault, quoted } from './folder-safety.js';

const ME = process.getuid?.() ?? 0;
const asRoot = ME === 0;
/** A root process can also judge as another user would. */
const USERS = asRoot ? [ME, 4_000_000] : [ME];
const STRANGER = 4_000_001;

let root: string;
let folder: string;
let secrets: string;

beforeEach(() => {
  root = mkdtempSync(join(realpathSync(tmpdir()), 'folder-safety-'));
  folder = join(root, "the farmers' data");
  secrets = join(folder, 'secrets.json');
  mkdirSync(folder);
  writeFileSync(secrets, '{}');
});
afterEach(() => {
  rmSync(root, { recursive: true, force: true });
});

function own(user: number, mode: number, secretsMode: number): void {
  if (asRoot) for (const path of [folder, secrets]) chownSync(path, user, user);
  chmodSync(secrets, secretsMode);
  chmodSync(folder, mode);
}

/** Runs the command that a fault names, as its reader would. A root process needs no sudo. */
function mend(todo: string): void {
  const command = /(?:: |Run )((?:sudo )?ch[^;]+?)(?:;|$)/.exec(todo)?.[1]?.replace('sudo ', '');
  if (command === undefined) throw new Error(`There is no command in: ${todo}`);
  execFileSync('sh', ['-c', command]);
}

describe('a data folder', () => {
  it('is safe exactly if others can neither list nor change it and cannot open its secrets, and the command of a fault mends it', () => {
    const mode = fc.integer({ min: 0, max: 0o77 }).map((others) => 0o700 + others);
    const secretsMode = fc.integer({ min: 0, max: 0o77 }).map((others) => 0o600 + others);
    fc.assert(
      fc.property(fc.constantFrom(...USERS), mode, secretsMode, (user, folderMode, fileMode) => {
        own(user, folderMode, fileMode);
        const isSafe = (folderMode & 0o066) === 0 && (fileMode & 0o077) === 0;
        const faults = [];
        for (let fault = folderFault(folder, user, user); fault; fault = folderFault(folder, user, user)) {
          faults.push(fault);
          mend(fault.todo);
          expect(faults.length).toBeLessThan(3);
        }
        expect(faults.length === 0).toBe(isSafe);
      }),
      { numRuns: 25 },
    );
  });

  it('is safe only if others cannot open the log in it, and the command of a fault mends it', () => {
    const mode = fc.integer({ min: 0, max: 0o77 }).map((others) => 0o700 + others);
    const log = join(folder, 'event-store');
    mkdirSync(log);
    fc.assert(
      fc.property(fc.constantFrom(...USERS), fc.constantFrom(0o700, 0o711), mode, fc.boolean(), (user, folderMode, logMode, isForeign) => {
        own(user, folderMode, 0o600);
        if (asRoot) chownSync(log, isForeign ? STRANGER : user, user);
        chmodSync(log, logMode);
        const isSafe = !(asRoot && isForeign) && (folderMode === 0o700 || (logMode & 0o077) === 0);
        const fault = folderFault(folder, user, user);
        expect(fault === undefined).toBe(isSafe);
        if (fault) mend(fault.todo);
        const left = folderFault(folder, user, user);
        if (left) mend(left.todo);
        expect(folderFault(folder, user, user)).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });

  it('of another user, or with an entry of another user, is refused with the command that gives it to this one', () => {
    if (!asRoot) {
      expect(folderFault(folder, STRANGER, STRANGER)?.todo).toContain(`sudo chown -R ${STRANGER}:${STRANGER} ${quoted(folder)}`);
      return;
    }
    for (const user of USERS) {
      for (const foreign of [folder, secrets]) {
        own(user, 0o700, 0o600);
        chownSync(foreign, STRANGER, STRANGER);
        const fault = folderFault(folder, user, user);
        expect(fault?.found).toBe(`${foreign} belongs to another user (${STRANGER}) than the one of this process (${user})`);
        mend(fault?.todo ?? '');
        const left = folderFault(folder, user, user);
        // Under root only the folder itself is given, because the cluster in it belongs to PostgreSQL's user.
        if (left) mend(left.todo);
        expect(folderFault(folder, user, user)).toBeUndefined();
      }
    }
  });

  it('is refused as a link, also as one to a safe folder, but not below a link', () => {
    own(ME, 0o700, 0o600);
    symlinkSync(folder, join(root, 'link'));
    expect(folderFault(join(root, 'link'))).toStrictEqual({
      found: `${join(root, 'link')} is a link to ${folder}`,
      todo: 'Set DATA_DIR to the folder itself.',
    });
    symlinkSync(root, `${root}-parent`);
    try {
      expect(folderFault(join(`${root}-parent`, "the farmers' data"))).toBeUndefined();
    } finally {
      rmSync(`${root}-parent`);
    }
  });

  it('is refused if it is a file, and safe if it does not exist', () => {
    expect(folderFault(secrets)?.found).toBe(`${secrets} is not a folder`);
    expect(folderFault(join(root, 'none'))).toBeUndefined();
  });

  it('may belong to anybody where the system has no user ids', () => {
    chmodSync(folder, 0o777);
    const { getuid } = process;
    Object.defineProperty(process, 'getuid', { value: undefined, configurable: true });
    try {
      expect(folderFault(folder)).toBeUndefined();
    } finally {
      Object.defineProperty(process, 'getuid', { value: getuid, configurable: true });
    }
  });
});
