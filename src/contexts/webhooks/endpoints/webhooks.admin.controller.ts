import { Body, Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Actor } from '../../../http/authenticating/admin-authentication.js';
import { Deadline } from '../../../http/limiting/deadline.js';
import { success, type Success } from '../../../http/envelope.js';
import { NOT_YET_IN_FORCE } from '../../../http/openapi/common-errors.js';
import { Fails } from '../../../http/openapi/errors.js';
import { AdminApi, Operation, Responds } from '../../../http/openapi/operation.js';
import { PageQueryDto, PER_PAGE } from '../../../http/validating/paging.js';
import { IdParam, NumberParam } from '../../../http/validating/path-parameters.js';
import { Reads } from '../../../http/route-rules.js';
import { PARTNER_ID, PARTNER_NOT_FOUND, RegisteredPartners } from '../../partners/public.js';
import { EndpointsQueryDto, WatchedEndpoint, WatchedEndpoints } from './endpoint-health.dto.js';
import { GetDeliveries } from '../delivering/get-deliveries.query.js';
import { ListEndpoints } from './list-endpoints.query.js';
import { EndpointFinder } from './endpoint-finder.js';
import { RecoverDeliveries } from '../delivering/recover-deliveries.command.js';
import { ResendDelivery } from '../delivering/send-again.command.js';
import { SwitchEndpoint } from './switch-endpoint.command.js';
import { Deliveries, Delivery, Recovery } from './webhook-responses.dto.js';
import { ANY_WEBHOOK_NOT_FOUND, DELIVERY_ID, ENDPOINT_ID, WEBHOOK_DISABLED } from './webhooks.documentation.js';
import { DeliveriesQueryDto, RecoverWebhookDto } from './webhooks.dto.js';

/** A month of events of a partner with many consents takes longer to queue than other calls take. */
const RECOVERY_MS = 120_000;
const DISABLED =
  'Its waiting deliveries are cancelled, and it is notified of nothing until it is enabled by `/enable`, yours or the partner’s; an update does not enable it.';
const ENABLED = 'It is notified from now on; a recovery sends what happened meanwhile.';

/** Lists the endpoints of partners (admin, "Operators"). */
@Controller('admin/v1/partners/:id/webhooks')
@AdminApi('Webhooks of partners')
@PARTNER_ID
export class PartnerWebhooksAdminController {
  constructor(
    private readonly queries: QueryBus,
    private readonly partners: RegisteredPartners,
  ) {}

  @Get()
  @Reads({ whole: ['webhook_endpoint'], recent: ['partner'] })
  @Operation('listPartnerWebhooks', 'List a partner’s endpoints with the state of their deliveries, newest first')
  @Responds(WatchedEndpoints)
  @Fails(PARTNER_NOT_FOUND)
  async list(@IdParam() id: string, @Query() { limit = PER_PAGE, cursor }: PageQueryDto): Promise<Success<WatchedEndpoints>> {
    await this.partners.assertExists(id);
    return success(await this.queries.execute(new ListEndpoints({ partnerId: id }, limit, cursor)));
  }
}

/** Watches and repairs the endpoints of all partners (admin, "Operators"). */
@Controller('admin/v1/webhooks')
@AdminApi('Webhooks of partners')
@ENDPOINT_ID
@DELIVERY_ID
export class WebhooksAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly endpoints: EndpointFinder,
  ) {}

  @Get()
  @Reads({ whole: ['webhook_endpoint'] })
  @Operation('listAllWebhooks', 'List the endpoints of all partners, or those that fail, newest first')
  @Responds(WatchedEndpoints)
  async list(@Query() { failing, limit = PER_PAGE, cursor }: EndpointsQueryDto): Promise<Success<WatchedEndpoints>> {
    const filter = { failing: failing === undefined ? undefined : failing === 'true' };
    return success(await this.queries.execute(new ListEndpoints(filter, limit, cursor)));
  }

  @Get(':id')
  @Reads({ whole: ['webhook_endpoint'] })
  @Operation('getWebhookOfPartner', 'Get an endpoint with the state of its deliveries')
  @Responds(WatchedEndpoint)
  @Fails(ANY_WEBHOOK_NOT_FOUND)
  async show(@NumberParam() id: number): Promise<Success<WatchedEndpoint>> {
    await this.endpoints.find(id);
    return success(await this.watched(id));
  }

  @Post(':id/enable')
  @HttpCode(200)
  @Reads({ whole: ['webhook_endpoint'] })
  @Operation('enableWebhook', 'Enable an endpoint', ENABLED)
  @Responds(WatchedEndpoint)
  @Fails(ANY_WEBHOOK_NOT_FOUND, NOT_YET_IN_FORCE)
  async enable(@NumberParam() id: number, @Actor() actor: string): Promise<Success<WatchedEndpoint>> {
    return await this.switched(id, 'enabled', actor);
  }

  @Post(':id/disable')
  @HttpCode(200)
  @Reads({ whole: ['webhook_endpoint'] })
  @Operation('disableWebhook', 'Disable an endpoint', DISABLED)
  @Responds(WatchedEndpoint)
  @Fails(ANY_WEBHOOK_NOT_FOUND, NOT_YET_IN_FORCE)
  async disable(@NumberParam() id: number, @Actor() actor: string): Promise<Success<WatchedEndpoint>> {
    return await this.switched(id, 'disabled', actor);
  }

  @Get(':id/deliveries')
  @Reads({ whole: ['webhook_endpoint'], recent: ['consent_roster', 'erased_farmer'] })
  @Operation('listWebhookDeliveries', 'List the deliveries of an endpoint with their last attempt, newest first')
  @Responds(Deliveries)
  @Fails(ANY_WEBHOOK_NOT_FOUND)
  async deliveries(
    @NumberParam() id: number,
    @Query() { limit = PER_PAGE, cursor, rupa_id: rupaId, ...filter }: DeliveriesQueryDto,
  ): Promise<Success<Deliveries>> {
    const { partner_id } = await this.endpoints.find(id);
    return success(await this.queries.execute(new GetDeliveries(partner_id, id, limit, { ...filter, rupaId }, cursor)));
  }

  @Post(':id/deliveries/:deliveryId/resend')
  @HttpCode(200)
  @Reads({ whole: ['webhook_endpoint'] })
  @Operation('resendWebhookDelivery', 'Resend a delivery, starting again with the first attempt')
  @Responds(Delivery)
  @Fails(ANY_WEBHOOK_NOT_FOUND, WEBHOOK_DISABLED)
  async resend(@NumberParam() id: number, @NumberParam('deliveryId') deliveryId: number): Promise<Success<Delivery>> {
    const { partner_id } = await this.endpoints.find(id);
    return success(await this.commands.execute(new ResendDelivery(partner_id, id, deliveryId)));
  }

  @Post(':id/recover')
  @HttpCode(202)
  @Deadline(RECOVERY_MS)
  @Reads({ whole: ['webhook_endpoint'], recent: ['consent_roster', 'erased_farmer'] })
  @Operation('recoverPartnerWebhook', 'Queue every event since a time that an endpoint subscribes to and has not received')
  @Responds(Recovery, { status: 202 })
  @Fails(ANY_WEBHOOK_NOT_FOUND, WEBHOOK_DISABLED)
  async recover(@NumberParam() id: number, @Body() recovery: RecoverWebhookDto): Promise<Success<Recovery>> {
    return success({ queued: await this.commands.execute(new RecoverDeliveries(id, recovery)) });
  }

  private async switched(id: number, to: 'enabled' | 'disabled', actor: string): Promise<Success<WatchedEndpoint>> {
    await this.commands.execute(new SwitchEndpoint(id, to, actor));
    return success(await this.watched(id));
  }

  private async watched(id: number): Promise<WatchedEndpoint> {
    const { endpoints } = await this.queries.execute(new ListEndpoints({ endpointId: id }, 1));
    return endpoints[0] as WatchedEndpoint;
  }
}
