import { Controller, Get, Param, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Rejection } from '../../platform/event-sourcing/decider.js';
import { RespondsText, OpenApi, Operation } from '../../http/openapi/operation.js';
import { RUPA_ID_PARAMETER } from '../../http/openapi/properties.js';
import { RateLimits } from '../../http/rate-limits.js';
import { parseRupaId } from '../../http/validation.js';
import { ValidationFailed } from '../../kernel/validation-failed.js';
import { GetProfileTier } from './get-profile-tier.query.js';
import { PAGE_HEADERS, profilePage, unknownProfilePage } from './profile-page.js';

const PAGE = { 'text/html': '<!doctype html>…' };

/** Serves `rupa_profile_url`. People open it in a browser, so an unknown Rupa ID gets an HTML page, too. */
@Controller('p')
@OpenApi('Service')
@RUPA_ID_PARAMETER
export class ProfilePageController {
  constructor(
    private readonly queries: QueryBus,
    private readonly limits: RateLimits,
  ) {}

  @Get(':rupaId')
  @Operation('showProfilePage', 'Show a farmer’s profile page: tier and completeness, no personal data')
  @RespondsText(200, 'The page.', PAGE)
  @RespondsText(404, 'A page that says that no farmer has that Rupa ID.', PAGE)
  async show(@Param('rupaId') id: string, @Req() { ip }: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    await this.limits.profilePage(ip);
    const html = await this.find(id);
    await reply
      .status(html === undefined ? 404 : 200)
      .headers(PAGE_HEADERS)
      .type('text/html; charset=utf-8')
      .send(html ?? unknownProfilePage());
  }

  private async find(id: string): Promise<string | undefined> {
    try {
      const rupa_id = parseRupaId(id);
      return profilePage(rupa_id, await this.queries.execute(new GetProfileTier(rupa_id)));
    } catch (error) {
      if (error instanceof ValidationFailed || (error instanceof Rejection && error.code === 'farmer_unknown')) return undefined;
      throw error;
    }
  }
}
