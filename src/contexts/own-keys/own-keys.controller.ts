import { Body, Controller, Get, Module, Post } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { OnlyActivePartners, RepeatableWithEndedKey } from '../../http/authenticating/partner-authentication.js';
import { Caller, type PartnerContext } from '../../http/authenticating/partner-context.js';
import { success, type Success } from '../../http/envelope.js';
import { NOT_YET_IN_FORCE } from '../../http/openapi/common-errors.js';
import { Fails } from '../../http/openapi/errors.js';
import { Operation, PartnerApi, Responds } from '../../http/openapi/operation.js';
import { Reads } from '../../http/route-rules.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { KeepsResponses, OperationId } from '../idempotency/public.js';
import {
  KEYS_FORBIDDEN,
  ListOwnKeys,
  OwnApiKeyList,
  ROTATION_CONFLICT,
  RotateApiKey,
  RotateApiKeyDto,
  RotatedApiKey,
} from '../partners/public.js';

const STORE_KEY = 'Store the new key now: it will not be shown again.';
const ROTATE =
  'Send an `Idempotency-Key`, so that a retry gets the same key if the response is lost. For ten minutes after your key has ended, such a retry may carry the ended key.';

/** A partner's own keys (decisions, "Keys"). */
@Controller('v1/rupa/keys')
@PartnerApi('Keys')
class OwnKeysController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get()
  @OnlyActivePartners
  @Reads({ whole: ['api_key'] })
  @Operation('listKeys', 'List your keys that work, newest first, at most the newest 200')
  @Responds(OwnApiKeyList)
  @Fails(KEYS_FORBIDDEN)
  async list(@Caller() caller: PartnerContext): Promise<Success<OwnApiKeyList>> {
    return success({ keys: await this.queries.execute(new ListOwnKeys(caller)) });
  }

  @Post('rotate')
  @OnlyActivePartners
  @RepeatableWithEndedKey
  @Reads({ recent: ['api_key'] })
  @Operation('rotateKey', 'Issue a key, shown once, and let the key with which you call end', ROTATE)
  @Responds(RotatedApiKey, { status: 201, message: STORE_KEY, headers: ['Idempotent-Replayed'] })
  @Fails(KEYS_FORBIDDEN, ROTATION_CONFLICT, NOT_YET_IN_FORCE)
  @KeepsResponses()
  async rotate(
    @Caller() caller: PartnerContext,
    @OperationId() operationId: string,
    @Body() rotation: RotateApiKeyDto,
  ): Promise<Success<RotatedApiKey>> {
    return success(await this.commands.execute(new RotateApiKey(caller, rotation, operationId)), STORE_KEY);
  }
}

@Module({ imports: [IdempotencyModule], controllers: [OwnKeysController] })
export class OwnKeysModule {}
