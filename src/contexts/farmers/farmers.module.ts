import { Module } from '@nestjs/common';
import { EraseFarmerHandler } from './erase-farmer.command.js';
import { FarmerStream } from './farmer-stream.js';
import { FarmerReportController } from './farmer-report.controller.js';
import { FarmersAdminController } from './farmers.admin.controller.js';
import { FindFarmerHandler } from './find-farmer.query.js';
import { GetFarmerReportHandler } from './get-farmer-report.query.js';
import { GetFarmerHandler } from './get-farmer.query.js';
import { GetProfileTierHandler } from './get-profile-tier.query.js';
import { ProfilePageController } from './profile-page.controller.js';
import { RecordFarmerHandler } from './record-farmer.command.js';

@Module({
  controllers: [FarmersAdminController, FarmerReportController, ProfilePageController],
  providers: [
    FarmerStream,
    RecordFarmerHandler,
    EraseFarmerHandler,
    GetFarmerHandler,
    GetProfileTierHandler,
    GetFarmerReportHandler,
    FindFarmerHandler,
  ],
})
export class FarmersModule {}
