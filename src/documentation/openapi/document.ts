import { type INestApplication } from '@nestjs/common';
import { SwaggerModule } from '@nestjs/swagger';
import { description } from './description.js';
import { finish } from './finish.js';
import { NOTIFICATION_MODELS, notifications } from './notifications.js';
import { type Document } from './parts.js';

/**
 * Generates the document of all operations, for partners and administrators, from the controllers and their DTOs.
 * @param publicUrl base URL of the service
 */
export function openApiDocument(app: INestApplication, publicUrl: string): Document {
  const generated = SwaggerModule.createDocument(app, description(publicUrl), { extraModels: NOTIFICATION_MODELS });
  // All documents of a process share the objects in the decorators' metadata, so only a copy may be changed.
  const { paths, components, ...rest } = JSON.parse(JSON.stringify(generated)) as Document;
  return finish({ ...rest, paths, webhooks: notifications(), components: { ...components, responses: {} } });
}
