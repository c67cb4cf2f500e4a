import { Module } from '@nestjs/common';
import { Ids } from './ids.js';

/** Provides one id allocator per instance, so that all users share its reserved blocks. */
@Module({ providers: [Ids], exports: [Ids] })
export class IdsModule {}
