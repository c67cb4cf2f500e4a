import { Module } from '@nestjs/common';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { SandboxController } from './sandbox.controller.js';

@Module({ imports: [IdempotencyModule], controllers: [SandboxController] })
export class SandboxModule {}
