import { Module } from '@nestjs/common';
import { ErasingModule } from '../erasing/erasing.module.js';
import { EraseFarmerHandler } from './erase-farmer.command.js';
import { FarmerStream } from './farmer-stream.js';
import { FarmerReportController } from './farmer-report.controller.js';
import { FarmersAdminController } from './farmers.admin.controller.js';
import { FarmerFinder } from './farmer-finder.js';
import { GetFarmerReportHandler } from './get-farmer-report.query.js';
import { GetFarmerHandler } from './get-farmer.query.js';
import { GetProfileTierHandler } from './get-profile-tier.query.js';
import { ProfilePageController } from './profile-page.controller.js';
import { RecordFarmerHandler } from './record-farmer.command.js';
import { TestFarmers } from './test-farmers.js';

@Module({
  imports: [ErasingModule],
  controllers: [FarmersAdminController, FarmerReportController, ProfilePageController],
  providers: [
    FarmerStream,
    RecordFarmerHandler,
    EraseFarmerHandler,
    GetFarmerHandler,
    GetProfileTierHandler,
    GetFarmerReportHandler,
    FarmerFinder,
    TestFarmers,
  ],
  exports: [FarmerFinder, TestFarmers],
})
export class FarmersModule {}
