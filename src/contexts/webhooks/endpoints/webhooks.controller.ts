import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Put } from '@nestjs/common';
import { NumberParam } from '../../../http/validating/path-parameters.js';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Deadline } from '../../../http/limiting/deadline.js';
import { success, type Success } from '../../../http/envelope.js';
import { NOT_YET_IN_FORCE } from '../../../http/openapi/common-errors.js';
import { Fails } from '../../../http/openapi/errors.js';
import { Responds, Operation, PartnerApi } from '../../../http/openapi/operation.js';
import { Caller, type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { Reads } from '../../../http/route-rules.js';
import { KeepsResponses, OperationId } from '../../idempotency/public.js';
import { DeleteWebhook, RotateSigningSecret, UpdateWebhook } from './change-webhook.command.js';
import { SUBSCRIBABLE_TYPES } from '../domain/notification-types.js';
import { GetWebhooks } from './get-webhooks.query.js';
import { RecoverDeliveries } from '../delivering/recover-deliveries.command.js';
import { RegisterWebhook } from './register-webhook.command.js';
import { SwitchEndpoint } from './switch-endpoint.command.js';
import {
  DeletedWebhook,
  Recovery,
  RegisteredWebhook,
  RotatedSecret,
  WebhookEndpoint,
  WebhookEndpointList,
} from './webhook-responses.dto.js';
import { ENDPOINT_ID, SENDING_CONFLICT, WEBHOOK_NOT_FOUND } from './webhooks.documentation.js';
import { RecoverWebhookDto, RegisterWebhookDto, UpdateWebhookDto } from './webhooks.dto.js';

const STORE_SECRET = 'Store the signing secret now: it will not be shown again.';
const NOT_USED_YET = `${STORE_SECRET} It is recorded, and will be used as soon as the read models have caught up.`;
/** A month of events of a partner with many consents takes longer to queue than other calls take. */
const RECOVERY_MS = 120_000;
const RECOVERED =
  'They are sent in the order of `sequence`, at most ten a second. A new call supersedes an earlier one: what that has not delivered is queued again by the new one, once.';
const UPDATE_SUMMARY = 'Update an endpoint’s url, name or events';
const UPDATE_DETAILS = 'This enables an endpoint again that a 410 or days of failures have disabled, but none that a call has disabled.';
const DISABLED =
  'Its waiting deliveries are cancelled, and it is notified of nothing until a call of `/enable`; an update does not enable it. Disabling a disabled endpoint is no error.';
const ENABLED =
  'It is notified from now on, whatever had disabled it; a recovery sends what happened meanwhile. Enabling an enabled endpoint is no error.';

/** Manages webhook endpoints (interface, section 4.6). */
@Controller('v1/rupa/webhooks')
@PartnerApi('Webhooks')
@ENDPOINT_ID
export class WebhooksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Post()
  @Reads({ recent: ['webhook_endpoint'] })
  @Operation('registerWebhook', 'Register an endpoint; its signing secret is shown once')
  @Responds(RegisteredWebhook, { status: 201, message: STORE_SECRET, headers: ['Idempotent-Replayed'] })
  @KeepsResponses()
  async register(
    @Caller() partner: PartnerContext,
    @OperationId() operationId: string,
    @Body() endpoint: RegisterWebhookDto,
  ): Promise<Success<RegisteredWebhook>> {
    const registered = await this.commands.execute(new RegisterWebhook(partner, endpoint, operationId));
    const { endpoint_id: id, settings, signing_secret, isShown } = registered;
    return success({ id, url: settings.url, name: settings.name, subscribed_events: settings.events, signing_secret }, messageOf(isShown));
  }

  @Get()
  @Reads({ whole: ['webhook_endpoint'] })
  @Operation('listWebhooks', 'List endpoints and the available events')
  @Responds(WebhookEndpointList)
  async list(@Caller() { partner_id }: PartnerContext): Promise<Success<WebhookEndpointList>> {
    return success({ endpoints: await this.queries.execute(new GetWebhooks(partner_id)), available_events: SUBSCRIBABLE_TYPES });
  }

  @Get(':id')
  @Reads({ whole: ['webhook_endpoint'] })
  @Operation('getWebhook', 'Get an endpoint')
  @Responds(WebhookEndpoint)
  @Fails(WEBHOOK_NOT_FOUND)
  async show(@Caller() { partner_id }: PartnerContext, @NumberParam() id: number): Promise<Success<WebhookEndpoint>> {
    const [endpoint] = await this.queries.execute(new GetWebhooks(partner_id, id));
    return success(endpoint as WebhookEndpoint);
  }

  @Put(':id')
  @Reads({ whole: ['webhook_endpoint'] })
  @Operation('replaceWebhook', UPDATE_SUMMARY, UPDATE_DETAILS)
  @Responds(WebhookEndpoint)
  @Fails(WEBHOOK_NOT_FOUND, NOT_YET_IN_FORCE)
  async replace(
    @Caller() partner: PartnerContext,
    @NumberParam() id: number,
    @Body() body: UpdateWebhookDto,
  ): Promise<Success<WebhookEndpoint>> {
    return await this.update(partner, id, body);
  }

  @Patch(':id')
  @Reads({ whole: ['webhook_endpoint'] })
  @Operation('updateWebhook', UPDATE_SUMMARY, UPDATE_DETAILS)
  @Responds(WebhookEndpoint)
  @Fails(WEBHOOK_NOT_FOUND, NOT_YET_IN_FORCE)
  async update(
    @Caller() partner: PartnerContext,
    @NumberParam() id: number,
    @Body() changes: UpdateWebhookDto,
  ): Promise<Success<WebhookEndpoint>> {
    await this.commands.execute(new UpdateWebhook(partner, id, changes));
    return await this.show(partner, id);
  }

  @Post(':id/disable')
  @HttpCode(200)
  @Reads({ whole: ['webhook_endpoint'] })
  @Operation('disableOwnWebhook', 'Disable an endpoint', DISABLED)
  @Responds(WebhookEndpoint, { headers: ['Idempotent-Replayed'] })
  @KeepsResponses()
  @Fails(WEBHOOK_NOT_FOUND, NOT_YET_IN_FORCE)
  async disable(@Caller() partner: PartnerContext, @NumberParam() id: number): Promise<Success<WebhookEndpoint>> {
    return await this.switched(partner, id, 'disabled');
  }

  @Post(':id/enable')
  @HttpCode(200)
  @Reads({ whole: ['webhook_endpoint'] })
  @Operation('enableOwnWebhook', 'Enable an endpoint', ENABLED)
  @Responds(WebhookEndpoint, { headers: ['Idempotent-Replayed'] })
  @KeepsResponses()
  @Fails(WEBHOOK_NOT_FOUND, NOT_YET_IN_FORCE)
  async enable(@Caller() partner: PartnerContext, @NumberParam() id: number): Promise<Success<WebhookEndpoint>> {
    return await this.switched(partner, id, 'enabled');
  }

  @Delete(':id')
  @Operation('deleteWebhook', 'Delete an endpoint; its pending deliveries are cancelled')
  @Responds(DeletedWebhook)
  @Fails(WEBHOOK_NOT_FOUND, NOT_YET_IN_FORCE)
  async remove(@Caller() partner: PartnerContext, @NumberParam() id: number): Promise<Success<DeletedWebhook>> {
    await this.commands.execute(new DeleteWebhook(partner, id));
    return success({ deleted: true, id });
  }

  @Post(':id/rotate-secret')
  @HttpCode(200)
  @Reads({ recent: ['webhook_endpoint'] })
  @Operation(
    'rotateSigningSecret',
    'Issue a new signing secret, shown once; webhook-signature also carries the old one’s signature for 24 hours',
  )
  @Responds(RotatedSecret, { message: STORE_SECRET, headers: ['Idempotent-Replayed'] })
  @KeepsResponses()
  @Fails(WEBHOOK_NOT_FOUND)
  async rotate(
    @Caller() partner: PartnerContext,
    @OperationId() operationId: string,
    @NumberParam() id: number,
  ): Promise<Success<RotatedSecret>> {
    const { signing_secret, isShown } = await this.commands.execute(new RotateSigningSecret(partner, id, operationId));
    return success({ id, signing_secret }, messageOf(isShown));
  }

  @Post(':id/recover')
  @HttpCode(202)
  @Deadline(RECOVERY_MS)
  @Reads({ whole: ['webhook_endpoint'], recent: ['consent_roster', 'erased_farmer'] })
  @Operation('recoverWebhook', 'Queue every event since a time that the endpoint subscribes to and has not received', RECOVERED)
  @Responds(Recovery, { status: 202, headers: ['Idempotent-Replayed'] })
  @Fails(WEBHOOK_NOT_FOUND, SENDING_CONFLICT)
  @KeepsResponses()
  async recover(
    @Caller() { partner_id }: PartnerContext,
    @NumberParam() id: number,
    @Body() recovery: RecoverWebhookDto,
  ): Promise<Success<Recovery>> {
    return success({ queued: await this.commands.execute(new RecoverDeliveries(id, recovery, partner_id)) });
  }

  private async switched(partner: PartnerContext, id: number, to: 'enabled' | 'disabled'): Promise<Success<WebhookEndpoint>> {
    await this.commands.execute(new SwitchEndpoint(id, to, `key:${partner.key_id}`, partner.partner_id));
    return await this.show(partner, id);
  }
}

function messageOf(isShown: boolean): string {
  return isShown ? STORE_SECRET : NOT_USED_YET;
}
