import { Body, Controller, Delete, Get, Put } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Actor } from '../../http/authenticating/admin-authentication.js';
import { success, type Success } from '../../http/envelope.js';
import { ServedInMaintenance } from '../../http/limiting/maintenance-mode.js';
import { NOT_YET_IN_FORCE } from '../../http/openapi/common-errors.js';
import { Fails } from '../../http/openapi/errors.js';
import { AdminApi, Operation, Responds } from '../../http/openapi/operation.js';
import { BeginMaintenance, EndMaintenance } from './change-maintenance.command.js';
import { MaintenanceDto, MaintenanceState } from './maintenance.dto.js';
import { RecordedMaintenance } from './recorded-maintenance.js';

const BEGIN =
  'Until it ends, every instance refuses lookups, reports and all other calls that change something with 503 `maintenance`. Calls that read, and webhooks, go on. The response comes once no instance accepts such a call any more; those that were accepted before finish within 20 seconds. Calling it again replaces the reason and the end.';

@Controller('admin/v1/maintenance')
@AdminApi('Maintenance')
export class MaintenanceAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly maintenance: RecordedMaintenance,
  ) {}

  @Get()
  @Operation('getMaintenance', 'Get the maintenance that is in force')
  @Responds(MaintenanceState)
  async show(): Promise<Success<MaintenanceState>> {
    return success({ maintenance: await this.maintenance.current() });
  }

  @Put()
  @ServedInMaintenance
  @Operation('beginMaintenance', 'Begin maintenance: refuse calls that change something', BEGIN)
  @Responds(MaintenanceState)
  @Fails(NOT_YET_IN_FORCE)
  async begin(@Body() announcement: MaintenanceDto, @Actor() actor: string): Promise<Success<MaintenanceState>> {
    return success({ maintenance: await this.commands.execute(new BeginMaintenance(announcement, actor)) });
  }

  @Delete()
  @ServedInMaintenance
  @Operation('endMaintenance', 'End maintenance, if there is one', 'The response comes once every instance accepts all calls.')
  @Responds(MaintenanceState)
  @Fails(NOT_YET_IN_FORCE)
  async end(@Actor() actor: string): Promise<Success<MaintenanceState>> {
    return success({ maintenance: await this.commands.execute(new EndMaintenance(actor)) });
  }
}
