import { type INestApplication } from '@nestjs/common';
import { SwaggerModule } from '@nestjs/swagger';
import { description } from './description.js';
import { finish } from './finish.js';
import { NOTIFICATION_MODELS, notifications } from './notifications.js';
import { type Document } from './parts.js';

/**
 * The whole interface, for partners and administrators, from the application's controllers and their DTOs.
 * @param publicUrl where the service is reached
 */
export function openApiDocument(app: INestApplication, publicUrl: string): Document {
  const made = SwaggerModule.createDocument(app, description(publicUrl), { extraModels: NOTIFICATION_MODELS });
  // What decorators hold is shared by all documents of a process: this one is finished on a copy.
  const { paths, components, ...rest } = JSON.parse(JSON.stringify(made)) as Document;
  return finish({ ...rest, paths, webhooks: notifications(), components: { ...components, responses: {} } });
}
