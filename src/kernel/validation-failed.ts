/** Messages by field. A nested field has a path, such as `identity.first_name`. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/**
 * A command has values that are out of bounds. HTTP responds with 422 and `data.errors` (interface, section 7); the command line prints the
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
