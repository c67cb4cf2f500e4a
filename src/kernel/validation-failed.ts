/** Messages by field. A nested field has a path, such as `identity.first_name`. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/**
 * Fields that each check of an input names at most. A body of 1 MiB can have hundreds of thousands of wrong fields: to name them all would keep
 * the processor from other requests for seconds.
 */
export const MAX_FIELD_ERRORS = 100;

/** Returns the name of a field as error messages write it. */
export function inWords(field: string): string {
  return field.replaceAll('_', ' ');
}

/** Returns an error message. @param problem the end of a sentence, such as `must be a string` */
export function sentenceOf(field: string, problem: string): string {
  return `The ${inWords(field)} field ${problem}.`;
}

/**
 * An input has values that are out of bounds. HTTP responds with 422 and `data.errors` (interface, section 7); the command line prints the
 * sentences.
 */
export class ValidationFailed extends Error {
  override name = 'ValidationFailed';

  constructor(readonly errors: FieldErrors) {
    super('Validation Error');
  }

  get sentences(): readonly string[] {
    return Object.values(this.errors).flat();
  }
}
