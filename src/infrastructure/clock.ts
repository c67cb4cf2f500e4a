/** Now, as events and answers write it: ISO 8601 in UTC, milliseconds. */
export abstract class Clock {
  abstract now(): Date;

  iso(): string {
    return this.now().toISOString();
  }
}

export class SystemClock extends Clock {
  override now(): Date {
    return new Date();
  }
}
