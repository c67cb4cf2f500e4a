import { Controller, Get, HttpException } from '@nestjs/common';
import { Readiness } from './readiness.js';
import { success, type Success } from '../../http/envelope.js';

/** Whether the service is fit to serve, and if not, why (admin.md). */
@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Get('health/live')
  live(): Success<{ status: 'live' }> {
    return success({ status: 'live' });
  }

  @Get(['health', 'health/ready'])
  async ready(): Promise<Success<{ status: 'ready' }>> {
    const reasons = await this.readiness.faults();
    if (reasons.length > 0) throw new HttpException(reasons.join(' '), 503);
    return success({ status: 'ready' });
  }
}
