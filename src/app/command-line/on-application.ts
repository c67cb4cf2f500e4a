import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import 'reflect-metadata';
import { NestLogger } from '../../platform/logging/nest-logger.js';
import { beginPriceBook } from '../../contexts/pricing/publishing/begin-price-book.js';
import { createApplication } from '../application.js';
import { startBackgroundThread } from '../background/background-thread.js';
import { refuseForeignKeys } from '../../stores/foreign-keys.js';
import { type OpenStores } from './with-stores.js';

type Work<T> = (app: INestApplicationContext) => Promise<T>;

/** Runs `work` on the application. @param project whether a projector runs meanwhile if no service does */
export async function onApplication<T>(open: OpenStores, project: boolean, work: Work<T>): Promise<T> {
  if (!open.opened || !project) return await run(open, work);
  const { stores, settings } = open;
  const background = await startBackgroundThread({ stores, settings, roles: ['projector'] });
  try {
    return await run(open, work);
  } finally {
    await background.stop();
  }
}

async function run<T>(open: OpenStores, work: Work<T>): Promise<T> {
  await refuseForeignKeys(open.stores);
  const { app, close } = await createApplication({ ...open, servesCalls: false }, (module) =>
    NestFactory.createApplicationContext(module, { logger: new NestLogger(open.logger), abortOnError: false }),
  );
  try {
    await beginPriceBook(app);
    return await work(app);
  } finally {
    await close();
  }
}
