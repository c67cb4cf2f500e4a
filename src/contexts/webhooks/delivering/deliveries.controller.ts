import { Controller, Get, HttpCode, Post, Query } from '@nestjs/common';
import { NumberParam } from '../../../http/validating/path-parameters.js';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { success, type Success } from '../../../http/envelope.js';
import { Fails } from '../../../http/openapi/errors.js';
import { Responds, Operation, PartnerApi } from '../../../http/openapi/operation.js';
import { PER_PAGE } from '../../../http/validating/paging.js';
import { Caller, type PartnerContext } from '../../../http/authenticating/partner-context.js';
import { Reads } from '../../../http/route-rules.js';
import { KeepsResponses } from '../../idempotency/public.js';
import { GetDeliveries } from './get-deliveries.query.js';
import { GetDelivery } from './get-delivery.query.js';
import { ResendDelivery, SendTest } from './send-again.command.js';
import { Deliveries, Delivery, DeliveryWithBody } from '../endpoints/webhook-responses.dto.js';
import { DELIVERY_ID, ENDPOINT_ID, SENDING_CONFLICT, WEBHOOK_NOT_FOUND } from '../endpoints/webhooks.documentation.js';
import { DeliveriesQueryDto } from '../endpoints/webhooks.dto.js';

const LISTED =
  'With `rupa_id`, of those about an erased farmer only `farmer.erased` is listed, and, if you have released the farmer, those that your endpoint has not responded to.';
const TEST_QUEUED = 'A test notification was queued.';
const RESEND_QUEUED = 'The delivery was queued again.';

/** Lists deliveries, sends tests and resends deliveries (interface, section 4.6; decisions, "Webhooks"). */
@Controller('v1/rupa/webhooks/:id')
@PartnerApi('Webhooks')
@ENDPOINT_ID
@DELIVERY_ID
export class DeliveriesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('deliveries')
  @Reads({ whole: ['webhook_endpoint'], recent: ['consent_roster', 'erased_farmer'] })
  @Operation('listDeliveries', 'List an endpoint’s deliveries with their last attempt, newest first', LISTED)
  @Responds(Deliveries)
  @Fails(WEBHOOK_NOT_FOUND)
  async list(
    @Caller() { partner_id }: PartnerContext,
    @NumberParam() id: number,
    @Query() { limit = PER_PAGE, cursor, rupa_id: rupaId, ...filter }: DeliveriesQueryDto,
  ): Promise<Success<Deliveries>> {
    return success(await this.queries.execute(new GetDeliveries(partner_id, id, limit, { ...filter, rupaId }, cursor)));
  }

  @Get('deliveries/:deliveryId')
  @Reads({ whole: ['webhook_endpoint'], recent: ['consent_roster', 'erased_farmer'] })
  @Operation('getDelivery', 'Get a delivery with the exact text that was or will be sent')
  @Responds(DeliveryWithBody)
  @Fails(WEBHOOK_NOT_FOUND)
  async show(
    @Caller() { partner_id }: PartnerContext,
    @NumberParam() id: number,
    @NumberParam('deliveryId') deliveryId: number,
  ): Promise<Success<DeliveryWithBody>> {
    return success(await this.queries.execute(new GetDelivery(partner_id, id, deliveryId)));
  }

  @Post('test')
  @HttpCode(200)
  @Reads({ whole: ['webhook_endpoint'] })
  @Operation('testWebhook', 'Send a signed webhook.test notification, without retries')
  @Responds(Delivery, { message: TEST_QUEUED, headers: ['Idempotent-Replayed'] })
  @Fails(WEBHOOK_NOT_FOUND, SENDING_CONFLICT)
  @KeepsResponses()
  async test(@Caller() { partner_id }: PartnerContext, @NumberParam() id: number): Promise<Success<Delivery>> {
    return success(await this.commands.execute(new SendTest(partner_id, id)), TEST_QUEUED);
  }

  @Post('deliveries/:deliveryId/resend')
  @HttpCode(200)
  @Reads({ whole: ['webhook_endpoint'] })
  @Operation('resendDelivery', 'Resend a delivery, starting again with the first attempt')
  @Responds(Delivery, { message: RESEND_QUEUED, headers: ['Idempotent-Replayed'] })
  @Fails(WEBHOOK_NOT_FOUND, SENDING_CONFLICT)
  @KeepsResponses()
  async resend(
    @Caller() { partner_id }: PartnerContext,
    @NumberParam() id: number,
    @NumberParam('deliveryId') deliveryId: number,
  ): Promise<Success<Delivery>> {
    return success(await this.commands.execute(new ResendDelivery(partner_id, id, deliveryId)), RESEND_QUEUED);
  }
}
