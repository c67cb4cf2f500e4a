import { Module } from '@nestjs/common';
import { MeController } from './me.controller.js';

/** A partner's own account. It combines the partners and wallet contexts, so that neither depends on the other's views. */
@Module({ controllers: [MeController] })
export class AccountModule {}
