import { Controller, Get, Param, Query, Res, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { AdminGuard } from '../../http/admin.guard.js';
import { success, type Success } from '../../http/envelope.js';
import { parseRupaId } from '../../http/validation.js';
import { FarmerReportQueryDto } from './farmer-report.dto.js';
import { FARMER_REPORT_HEADERS, farmerReportPage } from './farmer-report-page.js';
import { type FarmerReport, GetFarmerReport } from './get-farmer-report.query.js';

@Controller('admin/v1/farmers/:rupaId/report')
@UseGuards(AdminGuard)
export class FarmerReportController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  async show(
    @Param('rupaId') id: string,
    @Query() { format }: FarmerReportQueryDto,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Success<FarmerReport> | string> {
    const found = await this.queries.execute(new GetFarmerReport(parseRupaId(id)));
    if (format !== 'html') return success(found);
    reply.headers(FARMER_REPORT_HEADERS).type('text/html; charset=utf-8');
    return farmerReportPage(found);
  }
}
