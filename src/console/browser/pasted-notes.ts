import { repaired } from './wallet-checkpoint.js';

/** Between the last signature of a note and the text of the next one. */
const BETWEEN = /(?<=^— .*\n)\n*(?=[^—\n])/mu;

/** Returns the notes of a text that a person pasted, one below another, and sentences about what a mail program had changed in it. */
export function notesIn(pasted: string): { readonly notes: readonly string[]; readonly repairs: readonly string[] } {
  const { note, repairs } = repaired(pasted);
  return { notes: note.trim() === '' ? [] : note.split(BETWEEN), repairs };
}
