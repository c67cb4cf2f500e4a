import { type INestApplication } from '@nestjs/common';
import { SwaggerModule } from '@nestjs/swagger';
import { description } from './description.js';
import { finish } from './finish.js';
import { NOTIFICATION_MODELS, notifications, notificationSchemas } from './notifications.js';
import { type Document } from './parts.js';
import { withTimes } from '../../http/openapi/moving-times.js';

/**
 * Generates the document of all operations, for partners and administrators, from the controllers and their DTOs.
 * @param publicUrl base URL of the service
 * @param now the examples have times near it
 */
export function openApiDocument(app: INestApplication, publicUrl: string, now: Date): Document {
  const generated = SwaggerModule.createDocument(app, description(publicUrl), { extraModels: NOTIFICATION_MODELS });
  // All documents of a process share the objects in the decorators' metadata, so only a copy may be changed.
  const { paths, components, ...rest } = withTimes(generated as unknown as Document, now);
  const schemas = notificationSchemas(components.schemas);
  return finish({ ...rest, paths, webhooks: notifications(), components: { ...components, schemas, responses: {} } });
}
