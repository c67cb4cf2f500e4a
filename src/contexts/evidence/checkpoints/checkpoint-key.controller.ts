import { Controller, Get, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { callerAddress } from '../../../platform/http-server/address.js';
import { OpenApi, Operation, RespondsText } from '../../../http/openapi/operation.js';
import { RateLimits } from '../../../http/limiting/rate-limits.js';
import { CheckpointKeys } from './checkpoint-keys.js';

const EXAMPLE = 'PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW\n';

/** Publishes the keys with which anybody checks a checkpoint. */
@Controller('.well-known')
@OpenApi('Service')
export class CheckpointKeyController {
  constructor(
    private readonly keys: CheckpointKeys,
    private readonly limits: RateLimits,
  ) {}

  @Get('rupa-checkpoint-key')
  @Operation(
    'getCheckpointKeys',
    'Get the keys that sign checkpoints',
    'Verifier keys of https://c2sp.org/signed-note, one a line, oldest first. The last one signs; the others are retired.',
  )
  @RespondsText(200, 'The keys; empty before the first checkpoint.', { 'text/plain': EXAMPLE })
  async show(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.limits.profilePage(callerAddress(request));
    const keys = await this.keys.verifierKeys();
    await reply.type('text/plain; charset=utf-8').send(keys.map((key) => `${key}\n`).join(''));
  }
}
