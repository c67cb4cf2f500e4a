import { APPEND_EVENTS_MAX } from './limits.js';
import { type AppendOptions, type AppendRequest, type ProposedEvent } from './wire.js';

/** What an append costs in memory even if it is empty. */
const OVERHEAD_BYTES = 512;

/** An append whose parts are coming in. What is too large is counted but not kept. */
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
    // The name would keep the whole message that it came with.
    this.options = { ...options, stream: Buffer.from(options.stream) };
  }

  get isTooLarge(): boolean {
    return this.bytes > this.maxBytes || this.tooManyEvents;
  }

  /** What is in memory on its account. */
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
