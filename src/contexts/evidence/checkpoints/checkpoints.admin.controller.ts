import { Controller, Get, Post, Query } from '@nestjs/common';
import { Actor } from '../../../http/authenticating/admin-authentication.js';
import { Deadline } from '../../../http/limiting/deadline.js';
import { success, type Success } from '../../../http/envelope.js';
import { INVALID } from '../../../http/openapi/common-errors.js';
import { Fails } from '../../../http/openapi/errors.js';
import { AdminApi, Operation, Responds } from '../../../http/openapi/operation.js';
import { Cursors, PageQueryDto, PER_PAGE } from '../../../http/validating/paging.js';
import { NumberParam } from '../../../http/validating/path-parameters.js';
import { CheckpointLog } from './checkpoint-log.js';
import { CheckpointMaker } from './checkpoint-maker.js';
import {
  CHECKPOINT_CONTRADICTED,
  CHECKPOINT_NOT_FOUND,
  CHECKPOINT_NUMBER,
  Checkpoints,
  CheckpointView,
  checkpointView,
} from './checkpoint-responses.dto.js';

/** Time limit of making a checkpoint, long enough for a million wallets. */
const MAKE_DEADLINE_MS = 5 * 60_000;

const CURSORS = new Cursors('checkpoints', 'integer');

@Controller('admin/v1/checkpoints')
@AdminApi('Checkpoints')
export class CheckpointsAdminController {
  constructor(
    private readonly maker: CheckpointMaker,
    private readonly log: CheckpointLog,
  ) {}

  @Post()
  @Operation('makeCheckpoint', 'Make and sign a checkpoint of all wallets now')
  @Responds(CheckpointView, { status: 201 })
  @Fails(CHECKPOINT_CONTRADICTED)
  @Deadline(MAKE_DEADLINE_MS)
  async make(@Actor() actor: string): Promise<Success<CheckpointView>> {
    return success(checkpointView(await this.maker.make(actor)));
  }

  @Get()
  @Operation('listCheckpoints', 'List the checkpoints, newest first')
  @Responds(Checkpoints)
  @Fails(INVALID)
  async list(@Query() { limit = PER_PAGE, cursor }: PageQueryDto): Promise<Success<Checkpoints>> {
    const [before] = CURSORS.position(cursor) ?? [];
    const { items, next_cursor } = CURSORS.page(await this.log.list(limit + 1, before), limit, ({ number }) => [number]);
    return success({ checkpoints: items.map(checkpointView), next_cursor });
  }

  @Get(':number')
  @CHECKPOINT_NUMBER
  @Operation('getCheckpoint', 'Get a checkpoint')
  @Responds(CheckpointView)
  @Fails(CHECKPOINT_NOT_FOUND)
  async show(@NumberParam('number') number: number): Promise<Success<CheckpointView>> {
    return success(checkpointView(await this.log.get(number)));
  }
}
