import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { type Input, type InputClass } from './dto.js';
import { validateBody } from './validation.js';

/** Validates bodies and queries and converts them to the DTO that the handler declares. @throws ValidationFailed */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    if ((type !== 'body' && type !== 'query') || metatype === undefined || metatype === Object) return value;
    return validateBody(metatype as unknown as InputClass<Input>, value);
  }
}
