import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { databaseOutage, withReason } from './database-outage.js';
import { DatabaseUnusable } from './session-settings.js';

const withCode = (code: unknown, more: object = {}): Error => Object.assign(new Error('some text with a name'), { code, ...more });
/** States of classes that are otherwise about the statement or its data. */
const OF_THE_ENVIRONMENT = ['22P05', '42501', '42P05'];
const character = fc.constantFrom(...Array.from('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ'));
const states = (classes: readonly string[]) =>
  fc.tuple(fc.constantFrom(...classes), fc.string({ unit: character, minLength: 3, maxLength: 3 })).map((parts) => parts.join(''));

describe('an error of PostgreSQL', () => {
  it('is an outage if its class says that connections, resources, locks, the operator or the system prevent the statement', () => {
    fc.assert(
      fc.property(states(['08', '28', '40', '53', '55', '57', '58', 'F0']), (code) => {
        expect(databaseOutage(withCode(code))).toMatch(/^The (database|disk|user) .*\.$/);
      }),
    );
    for (const code of ['22P05', '25006', '25P03', '25P04', '26000', '28000', '28P01', '3D000', '42501', '42P05'])
      expect(databaseOutage(withCode(code))).toBeDefined();
  });

  it('is a fault of the service if the statement, its data or the schema are wrong', () => {
    fc.assert(
      fc.property(states(['0A', '21', '22', '23', '2F', '42', '54', 'P0', 'XX']), (code) => {
        if (!OF_THE_ENVIRONMENT.includes(code)) expect(databaseOutage(withCode(code))).toBeUndefined();
      }),
    );
    for (const code of ['22001', '22003', '22021', '22P02', '23505', '25001', '25P02', '42P01', '42703', '54000'])
      expect(databaseOutage(withCode(code))).toBeUndefined();
  });
});

describe('an error of the driver or the network', () => {
  const calls = ['connect', 'getaddrinfo', 'read', 'write'];
  const codes = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN', 'EMFILE'];

  it('is an outage, and so is the failure of all addresses of a host', () => {
    fc.assert(
      fc.property(fc.constantFrom(...codes), fc.constantFrom(...calls), (code, syscall) => {
        const error = withCode(code, { syscall });
        expect(databaseOutage(error)).toBeDefined();
        expect(databaseOutage(new AggregateError([error, error]))).toBe(databaseOutage(error));
      }),
    );
    for (const code of ['CERT_HAS_EXPIRED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'])
      expect(databaseOutage(withCode(code))).toBeDefined();
  });

  it('is no outage if a file cannot be read or written', () => {
    for (const code of ['ENOSPC', 'EDQUOT', 'EFBIG', 'EIO', 'EROFS'])
      for (const syscall of ['read', 'write']) expect(databaseOutage(withCode(code, { syscall }))).toBeUndefined();
  });

  it('has a reason without the text of the error, which may name users and hosts', () => {
    const all = [...codes.map((code) => withCode(code, { syscall: 'connect' })), withCode('28P01'), withCode('53300'), withCode('58030')];
    for (const error of all) expect(databaseOutage(error)).not.toContain(error.message);
  });
});

describe('the text of an error for the operator', () => {
  it('begins with the reason if the database cannot serve', () => {
    const refused = withCode('ECONNREFUSED', { syscall: 'connect' });
    expect(withReason(new AggregateError([refused]))).toBe('The database does not answer.');
    expect(withReason(withCode('53300'))).toBe('The database has no connection left. (some text with a name)');
    expect(withReason(new TypeError('x is undefined'))).toBe('x is undefined');
    expect(withReason(new DatabaseUnusable('The pooler shares sessions.'))).toBe('The pooler shares sessions.');
  });
});

describe('any other error', () => {
  it('is no outage', () => {
    const files = ['ENOENT', 'EACCES', 'EISDIR'].map((code) => withCode(code, { syscall: 'open' }));
    const others = [new TypeError('x is undefined'), new RangeError('too large'), withCode(14), withCode('FST_ERR_REP_ALREADY_SENT')];
    const pg = [new Error('A query must have either text or a name. Supplying neither is unsupported.')];
    for (const error of [...files, ...others, ...pg, withCode('constructor'), 'ECONNREFUSED', undefined, null, 7])
      expect(databaseOutage(error)).toBeUndefined();
  });

  it('is no outage, whatever its text and its code', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.oneof(fc.integer(), fc.string({ maxLength: 4 }), fc.constantFrom('toString', '__proto__')),
        (text, code) => {
          expect(databaseOutage(Object.assign(new Error(text), { code }))).toBeUndefined();
        },
      ),
    );
  });
});
