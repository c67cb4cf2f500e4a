import { Global, Module } from '@nestjs/common';
import { MaintenanceMode } from '../../http/limiting/maintenance-mode.js';
import { BeginMaintenanceHandler, EndMaintenanceHandler } from './change-maintenance.command.js';
import { MaintenanceAdminController } from './maintenance.admin.controller.js';
import { RecordedMaintenance } from './recorded-maintenance.js';

/** Global because the authentication of every route, the health endpoints and the console ask whether maintenance is in force. */
@Global()
@Module({
  controllers: [MaintenanceAdminController],
  providers: [
    RecordedMaintenance,
    { provide: MaintenanceMode, useExisting: RecordedMaintenance },
    BeginMaintenanceHandler,
    EndMaintenanceHandler,
  ],
  exports: [MaintenanceMode],
})
export class MaintenanceModule {}
