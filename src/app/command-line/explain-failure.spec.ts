import { describe, expect, it } from '@jest/globals';
import { StoreUnavailable } from '../../platform/event-sourcing/event-store.js';
import { explainFailure } from './explain-failure.js';

const DOCTOR = 'Run rupa doctor: it examines the stores that the settings name.';
const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED', syscall: 'connect' });

describe('explainFailure', () => {
  it.each<[string, unknown, string]>([
    ['a database that refuses connections', refused, 'The database does not answer. (connect ECONNREFUSED 127.0.0.1:1)'],
    // The driver tries every address of a host such as localhost, and its error has no text.
    ['a database whose host has several addresses', new AggregateError([refused, refused]), 'The database does not answer.'],
    [
      'a database that refuses the password',
      Object.assign(new Error('password authentication failed for user "rupa"'), { code: '28P01' }),
      'The database refuses the user or password in DATABASE_URL. (password authentication failed for user "rupa")',
    ],
    [
      'a database that ends the connection',
      new Error('Connection terminated unexpectedly'),
      'The database does not answer. (Connection terminated unexpectedly)',
    ],
    [
      'an event store that does not answer',
      new StoreUnavailable('The event store does not answer: no'),
      'The event store does not answer: no',
    ],
  ])('says what is wrong and to run rupa doctor for %s', (_, error, text) => {
    expect(explainFailure(error)).toBe(`${text}\n${DOCTOR}`);
  });

  it.each(['3F000', '42P01', '42703', '42883'])('says which commands to run if the tables are those of another release (%s)', (code) => {
    const text = 'column w.mac does not exist';
    expect(explainFailure(Object.assign(new Error(text), { code }))).toMatch(
      /^column w\.mac does not exist\nThe database lacks .* Run the commands of the release that the service runs/,
    );
  });

  it('says no more than the message of a rejection or of another error', () => {
    expect(explainFailure(new Error('There is no master key "k9".'))).toBe('There is no master key "k9".');
  });
});
