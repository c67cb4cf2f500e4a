import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { openApiDocument } from './document.js';

/**
 * Serves the OpenAPI document as a page at /docs, with all assets from this service, and as JSON at /docs-json. It is generated at the
 * first request.
 */
export function serveDocumentation(app: NestFastifyApplication, publicUrl: string): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app, publicUrl) as unknown as OpenAPIObject, {
    customSiteTitle: 'Rupa farmer data sharing',
    raw: ['json'],
    // By default Swagger UI has an external service validate the document.
    swaggerOptions: { validatorUrl: null },
  });
}
