import { describe, expect, it } from '@jest/globals';
import { ERRORS, type ErrorCode } from '../../http/errors/error-codes.js';
import { AdminApiError } from '../admin-api.js';
import { pageOf } from '../page.js';
import { failureScreen } from './failure-screen.js';

const CODES = Object.keys(ERRORS) as ErrorCode[];
const CORRECT = 'correct what the message names';

function pageFor(code: ErrorCode): string {
  const { status, message } = ERRORS[code];
  return pageOf(failureScreen(new AdminApiError(status, code, message)), undefined);
}

describe('the page of a call that failed', () => {
  it.each(CODES.filter((code) => ERRORS[code].status >= 429 && code !== 'headers_too_large'))(
    'asks nobody to correct a call that was refused with %s, which no correction mends',
    (code) => {
      expect(pageFor(code)).not.toContain(CORRECT);
    },
  );

  it('asks a person to correct what was wrong with a form', () => {
    expect(pageFor('validation_failed')).toContain(CORRECT);
  });

  it('leaves what to do about a row that cannot be trusted to the message, which says it', () => {
    const message =
      'This call needs a row of partner that cannot be trusted. An operator has to rebuild it: rupa projections rebuild partner';
    const page = pageOf(failureScreen(new AdminApiError(503, 'unavailable', message)), undefined);
    expect(page).toContain(message);
    expect(page).toContain('If the message asks for nothing else, try again in a moment.');
  });
});
