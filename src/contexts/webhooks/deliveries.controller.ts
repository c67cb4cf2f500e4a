import { Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { ApiKeyGuard } from '../../http/api-key.guard.js';
import { success, type Success } from '../../http/envelope.js';
import { INVALID } from '../../http/openapi/common-errors.js';
import { Fails } from '../../http/openapi/errors.js';
import { Responds, Operation, PartnerApi } from '../../http/openapi/operation.js';
import { Caller, type PartnerContext } from '../../http/partner-context.js';
import { GetDeliveries } from './get-deliveries.query.js';
import { ResendDelivery, SendTest } from './send-again.command.js';
import { endpointId } from './webhooks.controller.js';
import { Deliveries, Delivery } from './webhook-responses.dto.js';
import { DELIVERY_ID, ENDPOINT_ID, WEBHOOK_NOT_FOUND } from './webhooks.documentation.js';
import { DELIVERIES_PER_PAGE, DeliveriesQueryDto } from './webhooks.dto.js';
import { WebhookRejection } from './domain/rejections.js';

const TEST_QUEUED = 'A test notification was queued.';
const RESEND_QUEUED = 'The delivery was queued again.';

/** Lists deliveries, sends tests and resends deliveries (interface, section 4.6; decisions, "Webhooks"). */
@Controller('v1/rupa/webhooks/:id')
@PartnerApi('Webhooks')
@ENDPOINT_ID
@DELIVERY_ID
@UseGuards(ApiKeyGuard)
export class DeliveriesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('deliveries')
  @Operation('listDeliveries', 'List an endpoint’s deliveries with their last attempt, newest first')
  @Responds(Deliveries)
  @Fails(WEBHOOK_NOT_FOUND, INVALID)
  async list(
    @Caller() { partner_id }: PartnerContext,
    @Param('id') id: string,
    @Query() { limit = DELIVERIES_PER_PAGE, cursor }: DeliveriesQueryDto,
  ): Promise<Success<Deliveries>> {
    return success(await this.queries.execute(new GetDeliveries(partner_id, endpointId(id), limit, cursor)));
  }

  @Post('test')
  @HttpCode(200)
  @Operation('testWebhook', 'Send a signed `webhook.test` notification, without retries')
  @Responds(Delivery, { message: TEST_QUEUED })
  @Fails(WEBHOOK_NOT_FOUND)
  async test(@Caller() { partner_id }: PartnerContext, @Param('id') id: string): Promise<Success<Delivery>> {
    return success(await this.commands.execute(new SendTest(partner_id, endpointId(id))), TEST_QUEUED);
  }

  @Post('deliveries/:deliveryId/resend')
  @HttpCode(200)
  @Operation('resendDelivery', 'Resend a delivery, starting again with the first attempt')
  @Responds(Delivery, { message: RESEND_QUEUED })
  @Fails(WEBHOOK_NOT_FOUND)
  async resend(
    @Caller() { partner_id }: PartnerContext,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<Success<Delivery>> {
    if (!/^[1-9]\d{0,14}$/.test(deliveryId)) throw new WebhookRejection('delivery_unknown');
    return success(await this.commands.execute(new ResendDelivery(partner_id, endpointId(id), Number(deliveryId))), RESEND_QUEUED);
  }
}
