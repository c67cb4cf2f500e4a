import { Module } from '@nestjs/common';
import { EraseFarmerHandler } from './erase-farmer.command.js';
import { FarmerStream } from './farmer-stream.js';
import { FarmersAdminController } from './farmers.admin.controller.js';
import { FindFarmerHandler } from './find-farmer.query.js';
import { GetFarmerHandler } from './get-farmer.query.js';
import { ProfilePageController } from './profile-page.controller.js';
import { RecordFarmerHandler } from './record-farmer.command.js';

@Module({ controllers: [FarmersAdminController, ProfilePageController], providers: [FarmerStream, RecordFarmerHandler, EraseFarmerHandler, GetFarmerHandler, FindFarmerHandler] })
export class FarmersModule {}
