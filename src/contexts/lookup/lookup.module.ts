import { Module } from '@nestjs/common';
import { FarmerReader } from './farmer-reader.js';
import { KeptAnswers } from './kept-answers.js';
import { LookUpFarmerHandler } from './look-up-farmer.command.js';
import { LookUpOnceHandler } from './look-up-once.command.js';
import { LookupController } from './lookup.controller.js';

@Module({ controllers: [LookupController], providers: [FarmerReader, KeptAnswers, LookUpFarmerHandler, LookUpOnceHandler] })
export class LookupModule {}
