import { Controller, Get, Query, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type FastifyReply } from 'fastify';
import { Administrator, assertMayReadPersonalData, TakesReason } from '../../../http/authenticating/admin-authentication.js';
import { type TokenHolder } from '../../../http/authenticating/admin-tokens.js';
import { type Body, LargeBodies } from '../../../http/limiting/large-bodies.js';
import { RupaIdParam } from '../../../http/validating/path-parameters.js';
import { Fails } from '../../../http/openapi/errors.js';
import { Responds, Operation, AdminApi } from '../../../http/openapi/operation.js';
import { EXAMPLE, RupaIdParameter } from '../../../http/openapi/properties.js';
import { Reads } from '../../../http/route-rules.js';
import { FARMER_NOT_FOUND, type FarmerRecordView } from '../recording/farmer-responses.dto.js';
import { FarmerReport } from './farmer-report-responses.dto.js';
import { FarmerReportQueryDto } from './farmer-report.dto.js';
import { FARMER_REPORT_HEADERS, farmerReportPage } from './farmer-report-page.js';
import { FarmerRejection } from '../domain/farmer.js';
import { farmerRecordView, GetFarmer } from '../recording/get-farmer.query.js';
import { GetFarmerReport } from './get-farmer-report.query.js';

const SUMMARY = 'Report how a farmer’s data was used: consents, lookups with their sections, and reports, each with its partner';
const PURPOSE =
  'For a farmer who asks how their data was used (Nigeria Data Protection Act). Lists have the latest item first. The report contains no personal data unless `personal=true` asks for the record, so it remains available after the farmer is erased, under the pseudonym. Auditors get it without the record.';

@Controller('admin/v1/farmers/:rupaId/report')
@AdminApi('Farmers')
@RupaIdParameter(EXAMPLE.registered)
export class FarmerReportController {
  constructor(
    private readonly queries: QueryBus,
    private readonly bodies: LargeBodies,
  ) {}

  @Get()
  @TakesReason
  @Reads({ awaited: ['farmer_profile', 'erased_farmer', 'consent_roster', 'wallet_entry', 'contribution'], recent: ['partner'] })
  @Operation('getFarmerReport', SUMMARY, PURPOSE)
  @Responds(FarmerReport, { also: { 'text/html': '<!doctype html>…' } })
  @Fails(FARMER_NOT_FOUND)
  async show(
    @RupaIdParam() rupa_id: string,
    @Query() { format, personal = 'false' }: FarmerReportQueryDto,
    @Administrator() administrator: TokenHolder,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Body> {
    if (personal === 'true') assertMayReadPersonalData(administrator);
    const record = personal === 'true' ? await this.recordOf(rupa_id) : undefined;
    const found = await this.queries.execute(new GetFarmerReport(rupa_id));
    if (format !== 'html')
      return await this.bodies.json<FarmerReport>(reply, found, { ...found, ...(record === undefined ? {} : { record }) });
    const body = await this.bodies.text(reply, found, farmerReportPage(found, record));
    reply.headers(FARMER_REPORT_HEADERS).type('text/html; charset=utf-8');
    return body;
  }

  /** Returns null for a farmer who is erased, or unknown, which the report finds out. */
  private async recordOf(rupa_id: string): Promise<FarmerRecordView | null> {
    try {
      return farmerRecordView(await this.queries.execute(new GetFarmer(rupa_id)));
    } catch (error) {
      if (error instanceof FarmerRejection && error.code === 'farmer_unknown') return null;
      throw error;
    }
  }
}
