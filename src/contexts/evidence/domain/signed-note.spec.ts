import { describe, expect, it } from '@jest/globals';
import { NoteSigner, openNote, parseVerifierKey, type VerifierKey } from './signed-note.js';

/** The published example of golang.org/x/mod/sumdb/note (note_test.go), which https://c2sp.org/signed-note refers to. */
const VERIFIER_KEY = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW';
const PRIVATE_KEY = 'AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz';
const TEXT = "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const SIGNATURE = '— PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n';
const NOTE = `${TEXT}\n${SIGNATURE}`;

const signer = new NoteSigner('PeterNeumann', Buffer.from(PRIVATE_KEY, 'base64').subarray(1));
const published = parseVerifierKey(VERIFIER_KEY) as VerifierKey;
const other = new NoteSigner('PeterNeumann', Buffer.alloc(32, 1));

describe('a signed note', () => {
  it('is the published one, byte for byte', () => {
    expect(signer.verifierKey).toBe(VERIFIER_KEY);
    expect(signer.sign(TEXT)).toBe(NOTE);
    expect(openNote(NOTE, [published])).toBe(TEXT);
  });

  it('is opened by any of several keys, and by one of several signatures', () => {
    const otherKey = parseVerifierKey(other.verifierKey) as VerifierKey;
    expect(openNote(NOTE, [otherKey, published])).toBe(TEXT);
    expect(openNote(`${other.sign(TEXT)}${SIGNATURE}`, [published])).toBe(TEXT);
  });

  it('contains blank lines in its text', () => {
    const text = 'first\n\nlast\n';
    expect(openNote(signer.sign(text), [published])).toBe(text);
  });

  it.each([
    ['changed text', NOTE.replace('problem', 'Problem')],
    ['a changed signature', NOTE.replace('x08go/ZJ', 'x08go/ZK')],
    ['another key id', NOTE.replace('x08go', 'x08gp')],
    ['another name', NOTE.replace('PeterNeumann', 'PeterNewmann')],
    ['the signature of another key', other.sign(TEXT)],
    ['no signature', TEXT],
    ['no line feed at the end', NOTE.slice(0, -1)],
    ['no text', ''],
    ['text after the signature', `${NOTE}more\n\n`],
    ['a signature with more words', NOTE.replace('AM=\n', 'AM= x\n')],
  ])('is not opened with %s', (_case, note) => {
    expect(openNote(note, [published])).toBeUndefined();
  });

  it.each([
    ['another id', 'PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'],
    ['another name', 'PeterNewmann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'],
    // The next two are of note_test.go as well: their ids belong to their bytes.
    ['a key of another length', 'PeterNeumann+cc469956+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TWBADKEY=='],
    ['another algorithm', 'PeterNeumann+173116ae+ZRpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW'],
    ['no parts', 'PeterNeumann'],
  ])('does not accept a verifier key with %s', (_case, text) => {
    expect(parseVerifierKey(text)).toBeUndefined();
  });
});
