import { describe, expect, it } from '@jest/globals';
import { type CommandBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { PassThrough } from 'node:stream';
import pino from 'pino';
import { type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { type Charges } from '../../wallet/charging/charges.js';
import { type LookUp, type LookUpResult } from './look-up.command.js';
import { LookupDto, LookupListDto } from './lookup.dto.js';
import { validateBody } from '../../../http/validating/validation.js';
import { LookupController } from './lookup.controller.js';

const partner = { partner_id: 'p1' } as PartnerContext;

function setUp(statusCode: number) {
  const closed: unknown[] = [];
  const execute = ({ key, request }: LookUp): Promise<LookUpResult> => {
    const lookup_ids = request.isList ? ['l1', 'l2'] : ['l1'];
    return Promise.resolve({ kind: 'billed', lookup_ids, payload: '{}', stored: key !== undefined, counts: undefined });
  };
  const charges = {
    close: (...charge: unknown[]) => {
      closed.push(charge);
      return Promise.resolve();
    },
  } as unknown as Charges;
  const raw = Object.assign(new PassThrough(), { statusCode });
  raw.resume();
  const reply = { raw, type: () => reply, send: () => Promise.resolve() } as unknown as FastifyReply;
  const isClosed = new Promise((resolve) => raw.once('close', () => setImmediate(resolve)));
  const controller = new LookupController({ execute } as unknown as CommandBus, charges, pino({ level: 'silent' }));
  return { controller, closed, raw, reply, isClosed };
}

const lookup = validateBody(LookupDto, { rupa_id: 'rp-1' });

describe('the charge of a lookup', () => {
  it('is settled once the response was handed to the socket', async () => {
    const { controller, closed, raw, reply, isClosed } = setUp(200);
    await controller.lookUp(partner, undefined, lookup, reply);
    expect(closed).toStrictEqual([]);
    raw.end('{}');
    await isClosed;
    expect(closed).toStrictEqual([['p1', ['l1'], 'sent']]);
  });

  it('is settled if the partner disconnects before the response ends', async () => {
    const { controller, closed, raw, reply, isClosed } = setUp(200);
    await controller.lookUp(partner, undefined, lookup, reply);
    raw.destroy();
    await isClosed;
    expect(closed).toStrictEqual([['p1', ['l1'], 'sent']]);
  });

  it('is settled if the partner had disconnected before the charge was made', async () => {
    const { controller, closed, raw, reply, isClosed } = setUp(200);
    raw.destroy();
    await isClosed;
    await controller.lookUp(partner, undefined, lookup, reply);
    await new Promise(setImmediate);
    expect(closed).toStrictEqual([['p1', ['l1'], 'sent']]);
  });

  it('is refunded if the service fails to send the response', async () => {
    const { controller, closed, raw, reply, isClosed } = setUp(500);
    await controller.lookUp(partner, undefined, lookup, reply);
    raw.end();
    await isClosed;
    expect(closed).toStrictEqual([['p1', ['l1'], 'failed']]);
  });

  it('is settled if sending fails but the response is stored, since a retry gets it', async () => {
    const { controller, closed, raw, reply, isClosed } = setUp(500);
    await controller.lookUp(partner, 'key', lookup, reply);
    raw.end();
    await isClosed;
    expect(closed).toStrictEqual([['p1', ['l1'], 'stored']]);
  });
});

describe('the charges of a list', () => {
  it.each([
    [undefined, 200, 'sent'],
    [undefined, 500, 'failed'],
    ['key', 500, 'stored'],
  ])('of the key %s whose response has the status %d are closed at once as %s', async (key, status, response) => {
    const { controller, closed, raw, reply, isClosed } = setUp(status);
    await controller.lookUpAll(partner, key, validateBody(LookupListDto, { rupa_ids: ['rp-1', 'rp-2'] }), reply);
    raw.end();
    await isClosed;
    expect(closed).toStrictEqual([['p1', ['l1', 'l2'], response]]);
  });
});
