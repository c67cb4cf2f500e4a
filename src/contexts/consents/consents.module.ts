import { Module } from '@nestjs/common';
import { ConsentStream } from './consent-stream.js';
import { ConsentsController } from './consents.controller.js';
import { GetRosterHandler } from './get-roster.query.js';
import { ReleaseFarmerHandler } from './release-consent.command.js';

@Module({ controllers: [ConsentsController], providers: [ConsentStream, ReleaseFarmerHandler, GetRosterHandler] })
export class ConsentsModule {}
