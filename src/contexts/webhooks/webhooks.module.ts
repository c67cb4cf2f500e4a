import { Module } from '@nestjs/common';
import { IdsModule } from '../../platform/ids/ids.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { DeleteWebhookHandler, RotateSigningSecretHandler, UpdateWebhookHandler, WebhookChanges } from './change-webhook.command.js';
import { DeliveriesController } from './deliveries.controller.js';
import { EndpointUrl } from './endpoint-url.js';
import { GetDeliveriesHandler } from './get-deliveries.query.js';
import { GetWebhooksHandler } from './get-webhooks.query.js';
import { RegisterWebhookHandler } from './register-webhook.command.js';
import { ResendDeliveryHandler, SendTestHandler } from './send-again.command.js';
import { SigningSecrets } from './signing-secrets.js';
import { WebhookStream } from './webhook-stream.js';
import { WebhooksController } from './webhooks.controller.js';

/** The partner-facing API of webhooks. Sending is a separate role: see notification-subscriber.ts and sender-loop.ts. */
@Module({
  imports: [IdempotencyModule, IdsModule],
  controllers: [WebhooksController, DeliveriesController],
  providers: [
    WebhookStream,
    SigningSecrets,
    EndpointUrl,
    WebhookChanges,
    RegisterWebhookHandler,
    UpdateWebhookHandler,
    RotateSigningSecretHandler,
    DeleteWebhookHandler,
    GetWebhooksHandler,
    GetDeliveriesHandler,
    SendTestHandler,
    ResendDeliveryHandler,
  ],
})
export class WebhooksModule {}
