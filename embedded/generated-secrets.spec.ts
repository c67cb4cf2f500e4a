import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addMasterKey, readOrCreateSecrets, type Secrets } from './generated-secrets.js';

let folder: string;
let path: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  path = join(folder, 'secrets.json');
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

async function refusalOf(text: string): Promise<string> {
  writeFileSync(path, text);
  try {
    await readOrCreateSecrets(path);
    return 'accepted';
  } catch (error) {
    return (error as Error).message;
  }
}

describe('the file of generated secrets', () => {
  let good: Secrets;

  beforeAll(async () => {
    good = await readOrCreateSecrets(path);
  });

  it('is refused by its name, without a word of it, if it is cut off anywhere or is any other text', async () => {
    const text = JSON.stringify(good);
    const cut = fc.nat(text.length - 1).map((length) => text.slice(0, length));
    const other = fc.oneof(fc.string(), fc.json()).filter((value) => !value.includes('masterKey'));
    await fc.assert(
      fc.asyncProperty(fc.oneof(cut, other), async (wrong) => {
        const said = await refusalOf(wrong);
        expect(said).toContain(`${path} is wrong: `);
        for (const secret of Object.values(good) as string[]) expect(said).not.toContain(secret.slice(0, 16));
      }),
    );
  });

  it('is refused with the name of the field if one is missing, no text or in another form than its setting', async () => {
    const field = fc.constantFrom<keyof Secrets>('masterKey', 'adminToken', 'auditorToken');
    const value = fc.oneof(fc.constant(undefined), fc.jsonValue(), fc.constantFrom('short', 'k1:AAAA'));
    await fc.assert(
      fc.asyncProperty(field, value, async (name, wrong) => {
        fc.pre(typeof wrong !== 'string' || wrong.length < 24);
        const said = await refusalOf(JSON.stringify({ ...good, [name]: wrong }));
        expect(said).toContain(`${path} is wrong: ${name}: `);
        expect(said).toMatch(/Put back the file from a backup of the data folder\.$/);
      }),
    );
  });

  it('is refused if administrators and auditors share a token', async () => {
    expect(await refusalOf(JSON.stringify({ ...good, auditorToken: good.adminToken }))).toBe(
      `${path} is wrong: adminToken and auditorToken contain the same token. Put back the file from a backup of the data folder.`,
    );
  });

  it('is refused with the reason if it cannot be read', async () => {
    await expect(readOrCreateSecrets(folder)).rejects.toThrow(`${folder} is wrong: it cannot be read (EISDIR).`);
  });

  it('gets no new key while it is wrong, and stays as it is', async () => {
    writeFileSync(path, '{"masterKey":"k1:');
    await expect(addMasterKey(path)).rejects.toThrow(`${path} is wrong: it is not valid JSON.`);
    expect(readFileSync(path, 'utf8')).toBe('{"masterKey":"k1:');
  });
});
