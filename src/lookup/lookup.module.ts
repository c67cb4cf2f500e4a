import { Module } from '@nestjs/common';
import { FarmerReader } from './farmer-reader.js';
import { LookUpFarmerHandler } from './look-up-farmer.command.js';
import { LookupController } from './lookup.controller.js';

@Module({ controllers: [LookupController], providers: [FarmerReader, LookUpFarmerHandler] })
export class LookupModule {}
