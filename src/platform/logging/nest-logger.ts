import { type LoggerService } from '@nestjs/common';
import { type Logger } from 'pino';

/** Writes NestJS's messages to the service's log, those about modules and routes at level debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown): void {
    this.logger.debug(String(message));
  }

  debug(message: unknown): void {
    this.logger.trace(String(message));
  }

  verbose(message: unknown): void {
    this.logger.trace(String(message));
  }

  warn(message: unknown): void {
    this.logger.warn(String(message));
  }

  error(message: unknown, stack?: unknown): void {
    this.logger.error({ stack: typeof stack === 'string' ? stack : undefined }, String(message));
  }
}
