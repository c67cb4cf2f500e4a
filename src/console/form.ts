/** The values that a person typed into a form that was not carried out. */
export interface TypedForm {
  /** Path and query string of the page that the form is on. */
  readonly from: string;
  /** Path that the form is submitted to. */
  readonly action: string;
  /** Names and values, as the body of a form. */
  readonly fields: string;
}

/** Names of fields that the service itself puts into a form begin so. */
const OWN = '_';
/** Fields whose texts are never kept for a person who has to sign in first. */
const SECRET = /password|secret|token/;

/** The fields of a submitted form. */
export class Form {
  private readonly fields: URLSearchParams;

  /** @param body the body of a request as the parser of forms returns it; a request without one has no fields */
  constructor(body: unknown) {
    this.fields = new URLSearchParams(typeof body === 'string' ? body : '');
  }

  /** Returns a field's text without spaces around it; empty if it was not sent. */
  text(name: string): string {
    return (this.fields.get(name) ?? '').trim();
  }

  /** Returns a field's text; undefined if it is empty, so that it is left out of the call. */
  optional(name: string): string | undefined {
    return this.text(name) || undefined;
  }

  /** Returns a field as it was sent, with its spaces; undefined if it was not sent. */
  sent(name: string): string | undefined {
    return this.fields.get(name) ?? undefined;
  }

  /** Returns what the person typed or chose, without the fields of the service, as the body of a form. */
  get typed(): string {
    return this.bodyOf((name) => !name.startsWith(OWN));
  }

  /** Returns {@link typed} without secrets. */
  get keepable(): string {
    return this.bodyOf((name) => !name.startsWith(OWN) && !SECRET.test(name));
  }

  /** Returns the values of all fields of that name, such as checked boxes. */
  all(name: string): readonly string[] {
    return this.fields.getAll(name).map((value) => value.trim());
  }

  /** Returns the lines and comma-separated parts of a field that are not empty. */
  list(name: string): readonly string[] {
    return this.text(name)
      .split(/[\s,]+/)
      .filter((part) => part !== '');
  }

  /** Returns a number as the interface expects it; the text itself if it is no number, so that the interface explains what is wrong. */
  number(name: string): number | string | undefined {
    const text = this.optional(name);
    if (text === undefined) return undefined;
    return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  }

  /** Returns names and values in the order of the page. */
  entries(): readonly (readonly [name: string, value: string])[] {
    return [...this.fields];
  }

  private bodyOf(isWanted: (name: string) => boolean): string {
    return new URLSearchParams(this.entries().flatMap(([name, value]) => (isWanted(name) ? [[name, value]] : []))).toString();
  }
}

/** Returns the moment of a field for date and time, which the page says to be in UTC. */
export function utcOf(field: string | undefined): string | undefined {
  if (!field) return undefined;
  return /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2})?$/.test(field) ? `${field}Z` : field;
}
