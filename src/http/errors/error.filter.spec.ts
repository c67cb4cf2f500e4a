import { type ArgumentsHost } from '@nestjs/common';
import { beforeEach, describe, expect, it } from '@jest/globals';
import pino from 'pino';
import {
  AppendsRefused,
  HistoryMissing,
  OutcomeUnknown,
  PermanentStoreError,
  StoreUnavailable,
} from '../../platform/event-sourcing/event-store.js';
import { CommandAbandoned, StreamContended } from '../../platform/event-sourcing/writing/batch.js';
import { EventSetAside } from '../../platform/event-sourcing/coding/unusable-event.js';
import { ReadModelBehind } from '../../platform/projecting/read-models.js';
import { RowForged } from '../../platform/projecting/row-macs.js';
import { NotYetInForce } from '../../platform/projecting/in-memory/in-force.js';
import { ApiError } from './api-error.js';
import { Failures } from '../envelope.js';
import { ErrorFilter } from './error.filter.js';
import { ErrorResponses } from './error-responses.js';

const GUIDE = 'https://rupa.example/docs/guides/errors';
const postgres = (code: string): Error => Object.assign(new Error('a text that the response must not show'), { code });
const DATABASE = [postgres('53300'), postgres('57P01'), postgres('25006'), new Error('timeout exceeded when trying to connect')];
const EVENT_STORE = [new StoreUnavailable('late'), new AppendsRefused('full'), new OutcomeUnknown('closed')];

describe('the response to an error', () => {
  let filter: ErrorFilter;
  let lines: { level: number }[];

  beforeEach(() => {
    lines = [];
    const logger = pino({ base: null }, { write: (line: string) => lines.push(JSON.parse(line) as { level: number }) });
    filter = new ErrorFilter(logger, new ErrorResponses([]), new Failures('https://rupa.example/'));
  });

  function responseTo(error: unknown, url = '/') {
    const sent = { status: 0, retryAfter: undefined as unknown, body: undefined as unknown };
    const reply = {
      sent: false,
      header: (_name: string, value: unknown) => {
        sent.retryAfter = value;
      },
      status: (status: number) => ({
        send: (body: unknown) => {
          Object.assign(sent, { status, body });
        },
      }),
    };
    const http = { getResponse: () => reply, getRequest: () => ({ method: 'GET', id: 'id', routeOptions: { url } }) };
    filter.catch(error, { switchToHttp: () => http } as unknown as ArgumentsHost);
    return sent;
  }
  const levels = (): string[] => lines.map(({ level }) => pino.levels.labels[level] ?? '');

  it.each([...DATABASE, ...EVENT_STORE, new StreamContended('busy'), new CommandAbandoned('gone'), new PermanentStoreError('denied')])(
    'is 503 with Retry-After, without its text, if a store is the cause: %s',
    (error) => {
      expect(responseTo(error)).toStrictEqual({
        status: 503,
        retryAfter: 1,
        body: {
          success: false,
          message: 'The service is busy. Please retry with backoff.',
          code: 'unavailable',
          doc_url: `${GUIDE}#unavailable`,
        },
      });
    },
  );

  it('is 503 with a code of its own, without the name of the stream, if the history of a stream is missing', () => {
    const missing = new HistoryMissing('farmer-rp-1', undefined, 3n);
    for (const error of [missing, Object.assign(new ApiError('unavailable'), { cause: missing })]) {
      const { status, retryAfter, body } = responseTo(error);
      expect([status, retryAfter, body]).toStrictEqual([503, 60, expect.objectContaining({ code: 'history_missing' })]);
      expect(JSON.stringify([body, lines])).not.toContain('rp-1');
    }
  });

  it('asks an administrator to act where it asks a partner to turn to us', () => {
    const texts = ['/v1/rupa/me', '/admin/v1/partners'].map((url) =>
      JSON.stringify(responseTo(new HistoryMissing('wallet-1', 3n, 7n), url).body),
    );
    expect(texts).toStrictEqual([expect.stringContaining('Please contact us.'), expect.stringContaining('rupa doctor')]);
  });

  it('is 503 that says so if a change is recorded and not yet in force', () => {
    expect(responseTo(new NotYetInForce('A store does not respond.', 'Wait.'))).toMatchObject({ status: 503, retryAfter: 5 });
  });

  it.each([
    ['price_book', new EventSetAside({ category: 'pricebook', position: '7' }, 'the prices')],
    ['price_book', new EventSetAside({ category: 'priceschedule', position: '7' }, 'the prices')],
    [undefined, new EventSetAside({ category: 'wallet', position: '7' }, 'the wallet')],
    ['partner', new RowForged('partner')],
    [undefined, new RowForged('console_session', 'ops')],
    ['api_key', new ReadModelBehind('api_key')],
    ['api_key', new NotYetInForce('It is late.', 'Wait.', { readModel: 'api_key' })],
  ])('names %s in its data if the call cannot do without that read model: %s', (read_model, error) => {
    const { status, body } = responseTo(error);
    expect([status, (body as { data?: object }).data]).toStrictEqual([503, read_model && { read_model }]);
  });

  it.each([new TypeError('x is undefined'), postgres('42P01'), postgres('23505'), postgres('XX000')])(
    'is 500 if the service is at fault: %s',
    (error) => {
      expect(responseTo(error)).toStrictEqual({
        status: 500,
        retryAfter: undefined,
        body: {
          success: false,
          message: 'Something went wrong on our side. Please retry with backoff.',
          code: 'internal_error',
          doc_url: `${GUIDE}#internal_error`,
        },
      });
    },
  );

  it('is logged once for an outage, at warn, and each time for a fault of the service, at error', () => {
    for (let times = 0; times < 3; times += 1) for (const error of EVENT_STORE) responseTo(error);
    expect(levels()).toStrictEqual(['warn']);
    for (let times = 0; times < 3; times += 1) responseTo(postgres('53300'));
    expect(levels()).toStrictEqual(['warn', 'warn']);
    for (let times = 0; times < 3; times += 1) responseTo(postgres('42P01'));
    expect(levels()).toStrictEqual(['warn', 'warn', 'error', 'error', 'error']);
  });

  it('is logged once for an outage that a response in other words was made of, with what happened', () => {
    const error = Object.assign(new ApiError('unavailable', { message: 'Please retry.' }), {
      cause: new OutcomeUnknown('No answer came.'),
    });
    for (let times = 0; times < 3; times += 1) expect(responseTo(error)).toMatchObject({ status: 503, body: { message: 'Please retry.' } });
    expect(levels()).toStrictEqual(['warn']);
    expect(JSON.stringify(lines)).toContain('No answer came.');
  });

  it('is not logged if the caller is the cause', () => {
    responseTo(new ApiError('idempotency_in_progress'));
    expect(lines).toStrictEqual([]);
  });
});
