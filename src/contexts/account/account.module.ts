import { Module } from '@nestjs/common';
import { MeController } from './me.controller.js';

/** What a partner sees of itself: composed of partners and wallet, which therefore need not know one another's views. */
@Module({ controllers: [MeController] })
export class AccountModule {}
