import { Module } from '@nestjs/common';
import { type Pool } from 'pg';
import { POOL } from '../../../platform/injection-tokens.js';
import { DataKeys } from '../../../platform/key-store/data-keys.js';
import { Erasures } from './erasures.js';

@Module({
  providers: [{ provide: Erasures, useFactory: (pool: Pool, keys: DataKeys) => new Erasures(pool, keys), inject: [POOL, DataKeys] }],
  exports: [Erasures],
})
export class ErasingModule {}
