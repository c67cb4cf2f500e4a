import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';

/** Health endpoints for load balancers and operators. */
@Module({ controllers: [HealthController] })
export class HealthModule {}
