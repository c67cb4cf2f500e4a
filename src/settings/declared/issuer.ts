import { checked } from '../types.js';
import { noDefault, variable } from '../variable.js';

const MAX_LENGTH = 255;

const line = checked(`text, at most ${MAX_LENGTH} characters in one line`, (text) => {
  if (text.length > MAX_LENGTH) throw new Error(`it must not be longer than ${MAX_LENGTH} characters`);
  if (/\p{Cc}/u.test(text)) throw new Error('it must be one line without control characters');
});

export const name = variable('ISSUER_NAME', {
  type: line,
  default: noDefault(),
  description: 'Name of the company that issues the statements.',
});

export const address = variable('ISSUER_ADDRESS', {
  type: line,
  default: noDefault(),
  description: 'Its address, as statements show it.',
});

export const taxId = variable('ISSUER_TAX_ID', {
  type: line,
  default: noDefault(),
  description: 'Its tax identification number, as statements show it.',
});
