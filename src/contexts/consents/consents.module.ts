import { Module } from '@nestjs/common';
import { ConsentsController } from './consents.controller.js';
import { GetRosterHandler, RosterBounds } from './get-roster.query.js';
import { ReleaseFarmerHandler } from './release-consent.command.js';

@Module({ controllers: [ConsentsController], providers: [ReleaseFarmerHandler, GetRosterHandler, RosterBounds] })
export class ConsentsModule {}
