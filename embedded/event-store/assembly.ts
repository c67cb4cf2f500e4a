import { APPEND_EVENTS_MAX } from './limits.js';
import { type AppendOptions, type AppendRequest, type ProposedEvent } from './wire.js';

/** Memory that an append takes even if it is empty. */
const OVERHEAD_BYTES = 512;

/** An append that is assembled from its requests. The events of an append that is too large are counted but not kept. */
export class Assembly {
  readonly events: ProposedEvent[] = [];
  readonly options: AppendOptions;
  private bytes = 0;
  private keptBytes = 0;
  private tooManyEvents = false;

  constructor(
    options: AppendOptions,
    private readonly maxBytes: number,
  ) {
    // Copied, because a view of the name would keep the whole message in memory.
    this.options = { ...options, stream: Buffer.from(options.stream) };
  }

  get isTooLarge(): boolean {
    return this.bytes > this.maxBytes || this.tooManyEvents;
  }

  /** Bytes of memory that this append holds. */
  get heldBytes(): number {
    return this.keptBytes + this.options.stream.length + OVERHEAD_BYTES;
  }

  add({ events, requestBytes }: AppendRequest): void {
    for (const event of events) this.bytes += event.data.length + event.customMetadata.length + event.type.length * 2;
    this.tooManyEvents ||= this.events.length + events.length > APPEND_EVENTS_MAX;
    if (this.isTooLarge) this.events.length = 0;
    else this.events.push(...events);
    this.keptBytes = this.isTooLarge ? 0 : this.keptBytes + requestBytes;
  }
}
