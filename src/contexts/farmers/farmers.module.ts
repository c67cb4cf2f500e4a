import { Module } from '@nestjs/common';
import { type Pool } from 'pg';
import { POOL } from '../../platform/injection-tokens.js';
import { DataKeys } from '../../platform/key-store/data-keys.js';
import { Erasures } from './erasing/erasures.js';
import { EraseFarmerHandler } from './erasing/erase-farmer.command.js';
import { FarmerReportController } from './subject-report/farmer-report.controller.js';
import { FarmersAdminController } from './recording/farmers.admin.controller.js';
import { FarmerFinder } from './farmer-finder.js';
import { GetFarmerReportHandler } from './subject-report/get-farmer-report.query.js';
import { GetFarmerHandler } from './recording/get-farmer.query.js';
import { GetProfileTierHandler } from './profile/get-profile-tier.query.js';
import { ProfilePageController } from './profile/profile-page.controller.js';
import { RecordFarmerHandler } from './recording/record-farmer.command.js';
import { TestFarmers } from './test-farmers.js';

@Module({
  controllers: [FarmersAdminController, FarmerReportController, ProfilePageController],
  providers: [
    RecordFarmerHandler,
    EraseFarmerHandler,
    GetFarmerHandler,
    GetProfileTierHandler,
    GetFarmerReportHandler,
    FarmerFinder,
    TestFarmers,
    { provide: Erasures, useFactory: (pool: Pool, keys: DataKeys) => new Erasures(pool, keys), inject: [POOL, DataKeys] },
  ],
  exports: [FarmerFinder, TestFarmers],
})
export class FarmersModule {}
