import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { openApiDocument } from './document.js';

/** The API's description as a page at /docs, whose parts are served from here, and as JSON at /docs-json; made when it is first asked for. */
export function serveDocumentation(app: NestFastifyApplication, publicUrl: string): void {
  SwaggerModule.setup('docs', app, () => openApiDocument(app, publicUrl) as unknown as OpenAPIObject, {
    customSiteTitle: 'Rupa farmer data sharing',
    raw: ['json'],
    // Swagger UI would ask an outside service to check the document.
    swaggerOptions: { validatorUrl: null },
  });
}
