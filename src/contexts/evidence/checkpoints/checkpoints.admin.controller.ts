import { Controller, Get, Post, Query, Res } from '@nestjs/common';
import { type FastifyReply } from 'fastify';
import { Actor } from '../../../http/authenticating/admin-authentication.js';
import { Deadline } from '../../../http/limiting/deadline.js';
import { ServedInMaintenance } from '../../../http/limiting/maintenance-mode.js';
import { success, type Success } from '../../../http/envelope.js';
import { Fails } from '../../../http/openapi/errors.js';
import { AdminApi, Operation, Responds } from '../../../http/openapi/operation.js';
import { Cursors, PageQueryDto, PER_PAGE } from '../../../http/validating/paging.js';
import { NumberParam } from '../../../http/validating/path-parameters.js';
import { Cosignatures } from '../witnesses/cosignature-table.js';
import { type Checkpoint, CheckpointLog } from './checkpoint-log.js';
import { CheckpointMaker } from './checkpoint-maker.js';
import {
  CHECKPOINT_CONTRADICTED,
  CHECKPOINT_NOT_FOUND,
  CHECKPOINT_NUMBER,
  Checkpoints,
  CheckpointView,
  checkpointView,
} from './checkpoint-responses.dto.js';

/** Time limit of making a checkpoint. The first one of a log reads all of it, and so does one whose tiles were found wrong. */
const MAKE_DEADLINE_MS = 5 * 60_000;

const CURSORS = new Cursors('checkpoints', 'integer');

@Controller('admin/v1/checkpoints')
@AdminApi('Checkpoints')
export class CheckpointsAdminController {
  constructor(
    private readonly maker: CheckpointMaker,
    private readonly log: CheckpointLog,
    private readonly cosignatures: Cosignatures,
  ) {}

  @Post()
  @Operation(
    'makeCheckpoint',
    'Make and sign a checkpoint of the log now',
    'The status is 200, with the newest one, if nothing was appended since.',
  )
  @Responds(CheckpointView, { status: 201 })
  @Responds(CheckpointView)
  @Fails(CHECKPOINT_CONTRADICTED)
  @Deadline(MAKE_DEADLINE_MS)
  @ServedInMaintenance
  async make(@Actor() actor: string, @Res({ passthrough: true }) reply: FastifyReply): Promise<Success<CheckpointView>> {
    const made = await this.maker.make(actor);
    reply.status(made.isNew ? 201 : 200);
    return success(await this.viewOf(made));
  }

  @Get()
  @Operation('listCheckpoints', 'List the checkpoints, newest first')
  @Responds(Checkpoints)
  async list(@Query() { limit = PER_PAGE, cursor }: PageQueryDto): Promise<Success<Checkpoints>> {
    const [before] = CURSORS.position(cursor) ?? [];
    const { items, next_cursor } = CURSORS.page(await this.log.list(limit + 1, before), limit, ({ number }) => [number]);
    const cosignatures = await this.cosignatures.ofEach(items);
    const checkpoints = items.map((checkpoint) => checkpointView(checkpoint, cosignatures.get(checkpoint.number)));
    return success({ checkpoints, next_cursor });
  }

  @Get(':number')
  @CHECKPOINT_NUMBER
  @Operation('getCheckpoint', 'Get a checkpoint')
  @Responds(CheckpointView)
  @Fails(CHECKPOINT_NOT_FOUND)
  async show(@NumberParam('number') number: number): Promise<Success<CheckpointView>> {
    return success(await this.viewOf(await this.log.get(number)));
  }

  private async viewOf(checkpoint: Checkpoint): Promise<CheckpointView> {
    return checkpointView(checkpoint, await this.cosignatures.of(checkpoint));
  }
}
