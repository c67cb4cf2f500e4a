import { Controller, Get, Module } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { ApiError } from '../../http/errors/api-error.js';
import { success, type Success } from '../../http/envelope.js';
import { MaintenanceMode } from '../../http/limiting/maintenance-mode.js';
import { inTime } from '../metrics/in-time.js';
import { Fails } from '../../http/openapi/errors.js';
import { Responds, Operation } from '../../http/openapi/operation.js';
import { Live, NOT_READY, Ready, readyView } from './health.dto.js';
import { Readiness } from './readiness.js';

/** Responds whether the service can serve and, if not, with the reasons (admin, "Settings"). */
@Controller('health')
@ApiTags('Service')
@Fails(NOT_READY)
class HealthController {
  constructor(
    private readonly readiness: Readiness,
    private readonly maintenance: MaintenanceMode,
  ) {}

  @Get('live')
  @Operation('getLiveness', 'Check that the process is alive')
  @Responds(Live)
  live(): Success<Live> {
    return success({ status: 'live' });
  }

  @Get()
  @Operation('getHealth', 'Check that the service is ready to serve')
  @Responds(Ready)
  async health(): Promise<Success<Ready>> {
    return await this.ready();
  }

  @Get('ready')
  @Operation('getReadiness', 'Check that the service is ready to serve (same as /health)')
  @Responds(Ready)
  async ready(): Promise<Success<Ready>> {
    const reasons = await this.readiness.faults();
    if (reasons.length > 0) throw new ApiError('unavailable', { message: reasons.join(' ') });
    return success(readyView(await this.readiness.degradedBy(), await inTime(this.maintenance.inForce())));
  }
}

/** Health endpoints for load balancers and operators. */
@Module({ controllers: [HealthController] })
export class HealthModule {}
