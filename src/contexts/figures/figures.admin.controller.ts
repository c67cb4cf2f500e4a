import { Controller, Get, Query } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { success, type Success } from '../../http/envelope.js';
import { AdminApi, Operation, Responds } from '../../http/openapi/operation.js';
import { FiguresQueryDto, FiguresView } from './figures.dto.js';
import { GetFigures } from './get-figures.query.js';

const MEANING =
  'Every process writes its counts every five seconds, by the minute of the database’s clock in which they happened. So the figures are those of all processes, go on over restarts, and are seconds old. A kill loses the counts of the last seconds; the books never depend on them.';

@Controller('admin/v1/figures')
@AdminApi('Figures')
export class FiguresAdminController {
  constructor(private readonly queries: QueryBus) {}

  @Get()
  @Operation('getFigures', 'Get the lookups, refunds, errors, deliveries and lags of all processes over a period', MEANING)
  @Responds(FiguresView)
  async show(@Query() { period }: FiguresQueryDto): Promise<Success<FiguresView>> {
    return success(await this.queries.execute(new GetFigures(period)));
  }
}
