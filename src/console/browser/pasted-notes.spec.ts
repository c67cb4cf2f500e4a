import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { notesIn } from './wallet-checkpoint.js';

const line = fc.stringMatching(/^[A-Za-z0-9+/.]{1,20}$/);
const note = fc
  .tuple(fc.array(line, { minLength: 3, maxLength: 3 }), fc.array(line, { minLength: 1, maxLength: 3 }))
  .map(([text, signatures]) => `${text.join('\n')}\n\n${signatures.map((each) => `— ${each} ${each}\n`).join('')}`);

describe('notes that a person pasted', () => {
  it('are found one below another, with any number of signatures, whether or not empty lines are between them', () => {
    fc.assert(
      fc.property(fc.array(note), fc.nat(2), (notes, gap) => {
        expect(notesIn(notes.join('\n'.repeat(gap)))).toStrictEqual({ notes, repairs: [] });
      }),
    );
  });

  it('are restored if a mail program changed their ends of lines', () => {
    const { notes, repairs } = notesIn('a\r\n1\r\nb\r\n\r\n— a c\r\nd\r\n2\r\ne\r\n\r\n— d f');
    expect(notes).toStrictEqual(['a\n1\nb\n\n— a c\n', 'd\n2\ne\n\n— d f\n']);
    expect(repairs).toHaveLength(1);
  });
});
