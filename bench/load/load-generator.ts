/** What one load asks whom, over and over: any of the keys, any of the farmers. */
export interface Load {
  readonly kind: 'lookup' | 'report';
  readonly url: string;
  /** A key a line. */
  readonly keysFile: string;
  /** A Rupa ID a line. */
  readonly idsFile: string;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly bytesPerResponse: number;
}

export interface LoadGenerator {
  readonly name: string;
  /** @throws Error where any answer was not 200, or none came */
  run(load: Load): Promise<LoadResult>;
}
