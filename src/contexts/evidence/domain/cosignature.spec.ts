import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { generateKeyPairSync, sign } from 'node:crypto';
import { cosignatureIn, parseWitnessKey } from './cosignature.js';
import { COSIGNATURE, type VerifierKey, verifierKeyText } from './signed-note.js';

const NAME = 'witness.example/w1';
const TEXT = 'rupa.example/log\n7\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
const key = parseWitnessKey(verifierKeyText(NAME, raw, COSIGNATURE)) as VerifierKey;

/** The bytes of a cosignature after the key id. */
function bytesOf(seconds: bigint, text = TEXT): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(seconds);
  return Buffer.concat([time, sign(null, Buffer.from(`cosignature/v1\ntime ${seconds}\n${text}`), privateKey)]);
}

const lineOf = (bytes: Buffer, name = NAME): string => `— ${name} ${Buffer.concat([Buffer.from(key.id, 'hex'), bytes]).toString('base64')}`;
const LINE = lineOf(bytesOf(1_679_315_147n));

describe('a cosignature', () => {
  it('names the time at which the witness signed', () => {
    expect(cosignatureIn(LINE, TEXT, key)).toStrictEqual({ signature: LINE, at: '2023-03-20T12:25:47.000Z' });
  });

  it('holds for no other text, line or key: one byte is enough', () => {
    const changed = (bytes: Buffer, at: number, by: number): Buffer => Buffer.from(bytes).fill((bytes[at] ?? 0) ^ by, at, at + 1);
    fc.assert(
      fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), (at, by) => {
        const [text, line] = [Buffer.from(TEXT), Buffer.from(LINE)];
        expect(cosignatureIn(LINE, changed(text, at % text.length, by).toString('latin1'), key)).toBeUndefined();
        expect(cosignatureIn(changed(line, at % line.length, by).toString(), TEXT, key)).toBeUndefined();
        const bytes = changed(bytesOf(1_679_315_147n), at % 72, by);
        expect(cosignatureIn(lineOf(bytes), TEXT, key)).toBeUndefined();
        const other = parseWitnessKey(verifierKeyText(NAME, changed(raw, at % 32, by), COSIGNATURE)) as VerifierKey;
        expect(cosignatureIn(LINE, TEXT, { ...other, id: key.id })).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it.each([
    ['without a time', lineOf(bytesOf(0n))],
    ['of a time that no date can show', lineOf(bytesOf(253_402_300_800n))],
    ['of the largest time', lineOf(bytesOf(2n ** 64n - 1n))],
    ['with more bytes', lineOf(Buffer.concat([bytesOf(1n), Buffer.of(0)]))],
    ['without bytes', lineOf(Buffer.alloc(0))],
    ['of the text alone', lineOf(Buffer.concat([bytesOf(1n).subarray(0, 8), sign(null, Buffer.from(TEXT), privateKey)]))],
    ['of another name', lineOf(bytesOf(1n), 'witness.example/w2')],
  ])('does not hold %s', (_case, line) => {
    expect(cosignatureIn(line, TEXT, key)).toBeUndefined();
  });

  it('is by a key of type 4 alone', () => {
    expect(parseWitnessKey(verifierKeyText(NAME, raw))).toBeUndefined();
    expect(parseWitnessKey(verifierKeyText(NAME, raw, 6))).toBeUndefined();
    expect(parseWitnessKey(verifierKeyText(NAME, raw, COSIGNATURE).replace('w1', 'w2'))).toBeUndefined();
  });
});
