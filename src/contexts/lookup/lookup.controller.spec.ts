import { describe, expect, it } from '@jest/globals';
import { type CommandBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { PassThrough } from 'node:stream';
import pino from 'pino';
import { type PartnerContext } from '../../http/partner-context.js';
import { RefundCharge, SettleCharge } from '../wallet/close-charge.command.js';
import { LookUpFarmer } from './look-up-farmer.command.js';
import { LookUpOnce } from './look-up-once.command.js';
import { LookupDto } from './lookup.dto.js';
import { validateBody } from '../../http/validation.js';
import { LookupController } from './lookup.controller.js';

const partner = { partner_id: 'p1' } as PartnerContext;

function setUp(statusCode: number) {
  const executed: unknown[] = [];
  const commands = {
    execute: (command: unknown) => {
      executed.push(command);
      if (command instanceof LookUpOnce) return Promise.resolve({ kind: 'billed', lookup_id: 'l1', payload: '{}' });
      return Promise.resolve(command instanceof LookUpFarmer ? { lookup_id: 'l1', payload: '{}' } : undefined);
    },
  } as unknown as CommandBus;
  const raw = Object.assign(new PassThrough(), { statusCode });
  raw.resume();
  const reply = { raw, type: () => reply, send: () => Promise.resolve() } as unknown as FastifyReply;
  const closed = new Promise((resolve) => raw.once('close', () => setImmediate(resolve)));
  return { controller: new LookupController(commands, pino({ level: 'silent' })), executed, raw, reply, closed };
}

const lookup = validateBody(LookupDto, { rupa_id: 'rp-1' });

describe('the charge of a lookup', () => {
  it('is settled once the response was handed to the socket', async () => {
    const { controller, executed, raw, reply, closed } = setUp(200);
    await controller.lookUp(partner, undefined, lookup, reply);
    expect(executed).toHaveLength(1);
    raw.end('{}');
    await closed;
    expect(executed.slice(1)).toStrictEqual([new SettleCharge('p1', 'l1')]);
  });

  it('is settled if the partner disconnects before the response ends', async () => {
    const { controller, executed, raw, reply, closed } = setUp(200);
    await controller.lookUp(partner, undefined, lookup, reply);
    raw.destroy();
    await closed;
    expect(executed.slice(1)).toStrictEqual([new SettleCharge('p1', 'l1')]);
  });

  it('is settled if the partner had disconnected before the charge was made', async () => {
    const { controller, executed, raw, reply, closed } = setUp(200);
    raw.destroy();
    await closed;
    await controller.lookUp(partner, undefined, lookup, reply);
    await new Promise(setImmediate);
    expect(executed.slice(1)).toStrictEqual([new SettleCharge('p1', 'l1')]);
  });

  it('is refunded if the service fails to send the response', async () => {
    const { controller, executed, raw, reply, closed } = setUp(500);
    await controller.lookUp(partner, undefined, lookup, reply);
    raw.end();
    await closed;
    expect(executed.slice(1)).toStrictEqual([new RefundCharge('p1', 'l1', 'the response failed')]);
  });

  it('is settled if sending fails but the response is stored, since a retry gets it', async () => {
    const { controller, executed, raw, reply, closed } = setUp(500);
    await controller.lookUp(partner, 'key', lookup, reply);
    raw.end();
    await closed;
    expect(executed.slice(1)).toStrictEqual([new SettleCharge('p1', 'l1')]);
  });
});
