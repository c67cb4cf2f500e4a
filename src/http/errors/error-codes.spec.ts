import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { ADMIN_ERRORS, type ErrorCode, ERRORS, PARTNER_ERRORS } from './error-codes.js';
import { withErrorsTable } from './errors-table.js';

/** The codes of the specification (decisions, "Error codes"), `stream_not_found` of the stream browser, and `malformed_request` and `expectation_failed` for requests that are no HTTP. */
const SPECIFIED: Readonly<Record<number, readonly ErrorCode[]>> = {
  400: ['malformed_json', 'malformed_request'],
  401: ['api_key_missing', 'api_key_invalid', 'token_invalid'],
  402: ['insufficient_balance'],
  403: [
    'api_key_not_linked',
    'ip_not_allowed',
    'account_not_active',
    'no_permitted_sections',
    'sandbox_only',
    'role_not_allowed',
    'same_person',
    'name_required',
  ],
  404: [
    'farmer_not_found',
    'consent_not_found',
    'webhook_not_found',
    'delivery_not_found',
    'lookup_not_found',
    'statement_not_found',
    'checkpoint_not_found',
    'route_not_found',
    'partner_not_found',
    'api_key_not_found',
    'projection_not_found',
    'stream_not_found',
    'period_not_found',
    'job_not_found',
    'approval_not_found',
  ],
  405: ['method_not_allowed'],
  408: ['request_timeout'],
  409: ['conflict', 'idempotency_in_progress', 'farmer_erased'],
  413: ['body_too_large'],
  415: ['unsupported_media_type'],
  417: ['expectation_failed'],
  422: ['validation_failed', 'idempotency_key_reused'],
  429: ['rate_limited'],
  431: ['headers_too_large'],
  500: ['internal_error'],
  503: ['history_missing', 'maintenance', 'unavailable'],
};

describe('the error codes', () => {
  it('are those of the specification, each with its status', () => {
    const codes = Map.groupBy(Object.keys(ERRORS) as ErrorCode[], (code) => ERRORS[code].status);
    const byStatus = Object.fromEntries([...codes].map(([status, names]) => [status, names.sort()]));
    expect(byStatus).toStrictEqual(Object.fromEntries(Object.entries(SPECIFIED).map(([status, names]) => [status, names.toSorted()])));
  });

  it('belong to partners or to administrators only', () => {
    expect(Object.keys(PARTNER_ERRORS).filter((code) => code in ADMIN_ERRORS)).toStrictEqual([]);
  });
});

describe('the table of errors in docs/partners/errors.md', () => {
  const page = readFileSync('docs/partners/errors.md', 'utf8');

  it('is generated from the codes (if not, run: npm run errors-table)', () => {
    expect(page).toBe(withErrorsTable(page));
  });

  it.each(Object.keys(PARTNER_ERRORS))('has %s', (code) => {
    expect(page).toContain(`| \`${code}\``);
  });

  it('cannot be written to a page without its place', () => {
    expect(() => withErrorsTable('# Page')).toThrow(/errors/);
  });
});
