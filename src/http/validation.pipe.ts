import { type ArgumentMetadata, Injectable, type PipeTransform } from '@nestjs/common';
import { validateBody } from './validation.js';

/** Validates bodies and queries and converts them to the DTO that the handler declares. @throws ValidationFailed */
@Injectable()
export class ValidationPipe implements PipeTransform {
  transform(value: unknown, { type, metatype }: ArgumentMetadata): unknown {
    // PostgreSQL rejects a text with NUL. No id contains the replacement, so the route responds as it does to any unknown or malformed id.
    if (type === 'param' && typeof value === 'string') return value.replaceAll('\0', '\ufffd');
    if ((type !== 'body' && type !== 'query') || metatype === undefined || metatype === Object) return value;
    return validateBody(metatype as new () => object, value);
  }
}
