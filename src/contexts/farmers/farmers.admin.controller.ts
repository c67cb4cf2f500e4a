import { Body, Controller, Delete, Get, Param, Put, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { Actor, AdminGuard } from '../../http/admin.guard.js';
import { success, type Success } from '../../http/envelope.js';
import { parseRupaId } from '../../http/validation.js';
import { EraseFarmer } from './erase-farmer.command.js';
import { FarmerDto, recordOf } from './farmer-record.dto.js';
import { GetFarmer } from './get-farmer.query.js';
import { RecordFarmer } from './record-farmer.command.js';

@Controller('admin/v1/farmers')
@UseGuards(AdminGuard)
export class FarmersAdminController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Put(':rupaId')
  async record(@Param('rupaId') id: string, @Body() farmer: FarmerDto, @Actor() actor: string): Promise<Success<object>> {
    const rupa_id = parseRupaId(id);
    const { created } = await this.commands.execute(new RecordFarmer(rupa_id, farmer.mode ?? undefined, recordOf(farmer), actor));
    return success({ rupa_id, created });
  }

  @Get(':rupaId')
  async show(@Param('rupaId') id: string): Promise<Success<object>> {
    const { rupa_id, mode, record, tier } = await this.queries.execute(new GetFarmer(parseRupaId(id)));
    return success({ rupa_id, mode, ...record, ...tier });
  }

  @Delete(':rupaId')
  async erase(@Param('rupaId') id: string, @Actor() actor: string): Promise<Success<object>> {
    const rupa_id = parseRupaId(id);
    await this.commands.execute(new EraseFarmer(rupa_id, actor));
    return success({ rupa_id, erased: true });
  }
}
