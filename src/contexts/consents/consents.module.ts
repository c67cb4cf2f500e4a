import { Module } from '@nestjs/common';
import { ConsentsController } from './consents.controller.js';
import { GetRosterHandler } from './get-roster.query.js';
import { ReleaseFarmerHandler } from './release-consent.command.js';

@Module({ controllers: [ConsentsController], providers: [ReleaseFarmerHandler, GetRosterHandler] })
export class ConsentsModule {}
