import { Module } from '@nestjs/common';
import { Ids } from './ids.js';

/** One allocator an instance: its blocks are shared by all who need ids. */
@Module({ providers: [Ids], exports: [Ids] })
export class IdsModule {}
