import { ApiProperty } from '@nestjs/swagger';
import { IsInt, IsOptional, Max, Min } from 'class-validator';
import { Input, WholeNumber } from '../../../http/validating/dto.js';

export class EvidenceQueryDto extends Input {
  @IsOptional()
  @WholeNumber()
  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  @ApiProperty({ description: 'Index of the first event; the response is empty if the log has fewer.', default: 0, example: 0 })
  from?: number;
}

export const EVIDENCE_EXAMPLE = `${JSON.stringify({
  index: 0,
  stream: 'pricebook-main',
  revision: 0,
  type: 'PriceBookPublished',
  id: '2b1d6a56-0f4c-4f7a-9a4e-3c0f6c5d7e21',
  created: '2026-03-09T14:30:00.012Z',
  data: '{"version":2,"fees_kobo":{"svc_fee.identity":5000},"recorded_at":"2026-03-09T14:30:00.000Z","actor":"admin:amina"}',
  metadata: '{"$correlationId":"5a5f1c3e-7a54-4f0b-8b43-7c9f1d2e3b40","schema_version":1}',
})}\n`;
