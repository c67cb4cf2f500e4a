import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environment } from './environment.js';
import { readSettings, SettingsInvalid } from './read.js';

describe('the environment', () => {
  let folder: string;
  let path: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'rupa-env-'));
    path = join(folder, '.env');
  });
  afterAll(() => {
    rmSync(folder, { recursive: true });
  });

  it.each(['', '\ufeff'])('has the variables of the file, %j at its beginning, that are not set', (mark) => {
    writeFileSync(path, `${mark}ISSUER_NAME="Ọ̀rẹ́ Ltd"\nPORT=1\n`);
    expect(environment(path, { PORT: '2' })).toEqual({ ISSUER_NAME: 'Ọ̀rẹ́ Ltd', PORT: '2' });
  });

  it('is itself without a file', () => {
    expect(environment(join(folder, 'nowhere'), { PORT: '2' })).toEqual({ PORT: '2' });
  });

  it.each([
    ['Latin-1', Buffer.from('ISSUER_NAME=Caf\xe9', 'latin1')],
    ['UTF-16 with a mark', Buffer.from('\ufeffPORT=1', 'utf16le')],
    ['UTF-16 without a mark', Buffer.from('PORT=1', 'utf16le')],
  ])('is refused with a file in %s', (_name, bytes) => {
    writeFileSync(path, bytes);
    expect(() => environment(path, {})).toThrow(
      new SettingsInvalid([`${path} is not UTF-8, so its settings cannot be read. Save the file as UTF-8.`]),
    );
  });

  it('is refused if the file cannot be read', () => {
    mkdirSync(join(folder, 'directory'));
    expect(() => environment(join(folder, 'directory'), {})).toThrow(SettingsInvalid);
  });

  it('is refused if Node has replaced bytes of a variable', () => {
    expect(() => readSettings({ ISSUER_NAME: 'Caf\ufffd' })).toThrow(
      new SettingsInvalid(['ISSUER_NAME is wrong: it is not UTF-8. Set it in UTF-8.']),
    );
  });
});
