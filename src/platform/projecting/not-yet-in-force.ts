/** A change of partners, API keys or prices is recorded, but instances may go on using the state before it. */
export class NotYetInForce extends Error {
  override name = 'NotYetInForce';

  /**
   * @param reason says in a sentence what prevents it
   * @param next says in a sentence what the caller can do
   */
  constructor(reason: string, next: string, options?: ErrorOptions) {
    super(
      `The change is recorded, but not yet in force. ${reason} It takes effect as soon as the read models have caught up. ${next}`,
      options,
    );
  }
}
