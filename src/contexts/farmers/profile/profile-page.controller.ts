import { Controller, Get, Req, Res } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { Rejection } from '../../../platform/event-sourcing/decider.js';
import { RespondsText, OpenApi, Operation } from '../../../http/openapi/operation.js';
import { RupaIdParameter } from '../../../http/openapi/properties.js';
import { callerAddress } from '../../../platform/http-server/address.js';
import { RateLimits } from '../../../http/limiting/rate-limits.js';
import { PathParam } from '../../../http/validating/path-parameters.js';
import { isId } from '../../../http/validating/validation.js';
import { Reads } from '../../../http/route-rules.js';
import { GetProfileTier } from './get-profile-tier.query.js';
import { PAGE_HEADERS, profilePage, unknownProfilePage } from './profile-page.js';

const PAGE = { 'text/html': '<!doctype html>…' };

/** Serves `rupa_profile_url`. People open it in a browser, so an unknown Rupa ID gets an HTML page, too. */
@Controller('p')
@OpenApi('Service')
@RupaIdParameter()
export class ProfilePageController {
  constructor(
    private readonly queries: QueryBus,
    private readonly limits: RateLimits,
  ) {}

  @Get(':rupaId')
  @Reads({ recent: ['farmer_profile', 'contribution'] })
  @Operation('showProfilePage', 'Show a farmer’s profile page: tier and completeness, no personal data')
  @RespondsText(200, 'The page.', PAGE)
  @RespondsText(404, 'A page that says that no farmer has that Rupa ID.', PAGE)
  async show(
    @PathParam('rupaId', rupaIdOrNone) rupa_id: string | undefined,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.limits.profilePage(callerAddress(request));
    const html = await this.find(rupa_id);
    await reply
      .status(html === undefined ? 404 : 200)
      .headers(PAGE_HEADERS)
      .type('text/html; charset=utf-8')
      .send(html ?? unknownProfilePage());
  }

  private async find(rupa_id: string | undefined): Promise<string | undefined> {
    if (rupa_id === undefined) return undefined;
    try {
      return profilePage(rupa_id, await this.queries.execute(new GetProfileTier(rupa_id)));
    } catch (error) {
      if (error instanceof Rejection && error.code === 'farmer_unknown') return undefined;
      throw error;
    }
  }
}

function rupaIdOrNone(text: string): string | undefined {
  const id = text.trim();
  return isId(id) ? id.toLowerCase() : undefined;
}
