import { Controller, Get, Req, Res } from '@nestjs/common';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { callerAddress } from '../../../platform/http-server/address.js';
import { RateLimits } from '../../../http/limiting/rate-limits.js';
import { Fails } from '../../../http/openapi/errors.js';
import { OpenApi, Operation, RespondsText } from '../../../http/openapi/operation.js';
import { PathParameter } from '../../../http/openapi/properties.js';
import { PathParam } from '../../../http/validating/path-parameters.js';
import { CheckpointLog } from '../checkpoints/checkpoint-log.js';
import { CHECKPOINT_EXAMPLE, CHECKPOINT_NOT_FOUND } from '../checkpoints/checkpoint-responses.dto.js';
import { CheckpointRejection } from '../domain/make-checkpoint.js';
import { parseTileAddress, type TileAddress } from '../domain/tiles.js';
import { Cosignatures } from '../witnesses/cosignature-table.js';
import { LogProofs } from './log-proofs.js';

const ANYBODY = { 'Access-Control-Allow-Origin': '*' };
const IMMUTABLE = { 'Cache-Control': 'public, max-age=31536000, immutable' };

/** The tree of the log, as https://c2sp.org/tlog-tiles reads it. It consists of hashes alone, so it needs no credentials. */
@Controller('log')
@OpenApi('Service')
export class LogController {
  constructor(
    private readonly checkpoints: CheckpointLog,
    private readonly cosignatures: Cosignatures,
    private readonly proofs: LogProofs,
    private readonly limits: RateLimits,
  ) {}

  @Get('checkpoint')
  @Operation('getLogCheckpoint', 'Get the newest signed checkpoint of the log', 'A note in the form of https://c2sp.org/tlog-checkpoint.')
  @RespondsText(200, 'The signed note, with the cosignatures of witnesses (https://c2sp.org/tlog-cosignature).', {
    'text/plain': CHECKPOINT_EXAMPLE.note,
  })
  @Fails(CHECKPOINT_NOT_FOUND)
  async checkpoint(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    this.admit(request, reply);
    const last = await this.checkpoints.last();
    if (!last) throw new CheckpointRejection('checkpoint_unknown');
    const cosignatures = await this.cosignatures.of(last);
    const note = [last.note, ...cosignatures.map(({ signature }) => `${signature}\n`)].join('');
    await reply.header('Cache-Control', 'no-cache').type('text/plain; charset=utf-8').send(note);
  }

  @Get('tile/*')
  @Operation('getLogTile', 'Get a tile of hashes of the log', 'Up to 256 hashes of 32 bytes, as in https://c2sp.org/tlog-tiles.')
  @PathParameter({
    name: 'path',
    description: 'Level, number and width, as in `0/x001/234` or `1/000.p/17`. A part of the number is a segment of the path of its own.',
    schema: { type: 'string' },
    example: '0/000.p/2',
  })
  @RespondsText(200, 'The hashes, one after another.', { 'application/octet-stream': '…' })
  @Fails(CHECKPOINT_NOT_FOUND)
  async tile(
    @PathParam('*', addressIn) address: TileAddress | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.admit(request, reply);
    const tile = address && (await this.proofs.tile(address));
    if (!tile) throw new CheckpointRejection('checkpoint_unknown');
    await reply.headers(IMMUTABLE).type('application/octet-stream').send(tile);
  }

  private admit(request: FastifyRequest, reply: FastifyReply): void {
    reply.headers(ANYBODY);
    this.limits.logRead(callerAddress(request));
  }
}

function addressIn(path: string): TileAddress | undefined {
  return parseTileAddress(path);
}
