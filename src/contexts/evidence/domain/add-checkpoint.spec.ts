import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addCheckpointBody, cosignatureOf, sizeOfConflict } from './add-checkpoint.js';
import { parseWitnessKey } from './cosignature.js';
import { COSIGNATURE, type VerifierKey, verifierKeyText } from './signed-note.js';

const NOTE = 'rupa.example/log\n9\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n— rupa.example/log bcKdLw==\n';

describe('a request to a witness', () => {
  it('has the old size, the proof in base64, an empty line and the note', () => {
    expect(addCheckpointBody(0, [], NOTE)).toBe(`old 0\n\n${NOTE}`);
    const hashes = [Buffer.alloc(32, 1), Buffer.alloc(32, 255)];
    const lines = ['AQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=', '//////////////////////////////////////////8='];
    expect(addCheckpointBody(7, hashes, NOTE)).toBe(`old 7\n${lines[0]}\n${lines[1]}\n\n${NOTE}`);
  });
});

describe('the response of a witness', () => {
  const conflict = { status: 409, contentType: 'text/x.tlog.size', body: '20852163\n' };
  const key = parseWitnessKey(verifierKeyText('w', Buffer.alloc(32, 1), COSIGNATURE)) as VerifierKey;

  it('names the size of the tree that it cosigned last', () => {
    expect(sizeOfConflict(conflict)).toBe(20_852_163);
    expect(sizeOfConflict({ ...conflict, contentType: 'text/x.tlog.size; charset=utf-8', body: '0' })).toBe(0);
  });

  it.each([
    ['another status', { status: 400 }],
    ['another type', { contentType: 'text/plain' }],
    ['a sign', { body: '-1\n' }],
    ['a leading zero', { body: '01\n' }],
    ['more lines', { body: '1\n\n' }],
    ['more digits than a size has', { body: '1234567890123456\n' }],
    ['nothing', { body: '' }],
  ])('names no size with %s', (_case, part) => {
    expect(sizeOfConflict({ ...conflict, ...part })).toBeUndefined();
  });

  it('has no cosignature in any text that its key did not sign', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (body) => {
        expect(cosignatureOf({ status: 200, contentType: '', body: `— w ${body}\n${body}` }, NOTE, key)).toBeUndefined();
      }),
    );
  });
});
