/** A load of one kind of request, each with a random key and a random farmer. */
export interface Load {
  readonly kind: 'lookup' | 'report';
  readonly url: string;
  /** File with one API key per line. */
  readonly keysFile: string;
  /** File with one Rupa ID per line. */
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
  /** Runs a load. @throws Error if a response had an error status, a request failed, or no response arrived. */
  run(load: Load): Promise<LoadResult>;
}
