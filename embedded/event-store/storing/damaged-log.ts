/** A file of the log has changed on disk since the store wrote it, or a part of it is missing. */
export class DamagedLog extends Error {
  override name = 'DamagedLog';

  /**
   * @param place where in the file, such as an offset or a position of the log
   * @param fault a clause that completes "…, because"
   */
  constructor(
    readonly file: string,
    readonly place: string,
    readonly fault: string,
  ) {
    super(
      `${file} is damaged at ${place}: ${fault}. Restore this folder from a backup as docs/operations.md ("A damaged log") says. Do not run rupa events adopt, which would make a loss final.`,
    );
  }
}
