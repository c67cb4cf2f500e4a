import { Controller, Get, HttpCode, Param, Post, Query, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Refusal } from '../../platform/event-sourcing/decider.js';
import { ApiKeyGuard } from '../../http/api-key.guard.js';
import { success, type Success } from '../../http/envelope.js';
import { Caller, type PartnerContext } from '../../http/partner-context.js';
import { type Deliveries, type Delivery, GetDeliveries } from './get-deliveries.query.js';
import { ResendDelivery, SendTest } from './send-again.command.js';
import { endpointId } from './webhooks.controller.js';
import { DeliveriesQueryDto } from './webhooks.dto.js';

const DELIVERIES_A_PAGE = 20;

/** What was sent to an endpoint, and what is to be sent again (interface 4.6; decisions, "Webhooks"). */
@Controller('v1/rupa/webhooks/:id')
@UseGuards(ApiKeyGuard)
export class DeliveriesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Get('deliveries')
  async list(
    @Caller() { partner_id }: PartnerContext,
    @Param('id') id: string,
    @Query() { limit = DELIVERIES_A_PAGE, cursor }: DeliveriesQueryDto,
  ): Promise<Success<Deliveries>> {
    return success(await this.queries.execute(new GetDeliveries(partner_id, endpointId(id), limit, cursor)));
  }

  @Post('test')
  @HttpCode(200)
  async test(@Caller() { partner_id }: PartnerContext, @Param('id') id: string): Promise<Success<Delivery>> {
    return success(await this.commands.execute(new SendTest(partner_id, endpointId(id))), 'A test is on its way.');
  }

  @Post('deliveries/:deliveryId/resend')
  @HttpCode(200)
  async resend(
    @Caller() { partner_id }: PartnerContext,
    @Param('id') id: string,
    @Param('deliveryId') deliveryId: string,
  ): Promise<Success<Delivery>> {
    if (!/^[1-9]\d{0,14}$/.test(deliveryId)) throw new Refusal('delivery_unknown');
    return success(
      await this.commands.execute(new ResendDelivery(partner_id, endpointId(id), Number(deliveryId))),
      'The delivery is on its way again.',
    );
  }
}
