import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

/** The API's description as a page at /docs and as JSON at /docs-json. The page's parts are served from here. */
export function serveDocumentation(app: NestFastifyApplication): void {
  const document = new DocumentBuilder()
    .setTitle('Rupa farmer data sharing')
    .setDescription('Partners look up farmers by their Rupa ID and pay for each look-up from a prepaid wallet.')
    .setVersion('1')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-KEY' }, 'partner')
    .addBearerAuth({ type: 'http' }, 'administrator')
    .build();
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, document));
}
