import { Module } from '@nestjs/common';
import { HealthController } from './health.controller.js';

/** How the process is doing, for load balancers and operators. */
@Module({ controllers: [HealthController] })
export class HealthModule {}
