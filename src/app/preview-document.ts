import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { pino } from 'pino';
import { ServiceMetrics } from '../operations/metrics/service-metrics.js';
import { AppModule } from './app.module.js';
import { type Platform } from './platform.js';
import { readSettings } from '../settings/read.js';
import { openApiDocument } from '../documentation/openapi/document.js';
import { type Document } from '../documentation/openapi/parts.js';

/**
 * Generates the document without a running service. In preview mode Nest reads the modules and creates nothing, so it never uses the
 * platform.
 */
export async function previewDocument(publicUrl: string): Promise<Document> {
  const module = AppModule.for({
    settings: readSettings({}),
    stores: { adminToken: 'nobody-calls-with-this-token', auditorToken: 'nor-with-this-auditors-token' },
    logger: pino({ level: 'silent' }),
    metrics: new ServiceMetrics(),
    platform: {} as Platform,
  });
  const options = { preview: true, logger: false, abortOnError: false } as const;
  return openApiDocument(await NestFactory.create<NestFastifyApplication>(module, new FastifyAdapter(), options), publicUrl, new Date());
}
