import { Codec } from '../../platform/event-sourcing/coding/codec.js';
import { type StoredEvent } from '../../platform/event-sourcing/recorded-event.js';
import { type DataKeys } from '../../platform/key-store/data-keys.js';
import { skippedIdOf } from '../../platform/unusable-events/skipped-events.js';
import { eventCatalogue } from '../../stores/event-catalogue.js';

/** Finds the events of a log that the service cannot use (docs/adr/0030), page by page. */
export class UnusableEvents {
  /** Nothing is decrypted, so the codec never asks for a key. */
  private readonly codec = new Codec(eventCatalogue, {} as DataKeys);
  private readonly found = new Map<string, string>();
  private skipped = 0;
  private foreign = 0;

  add(page: readonly StoredEvent[]): void {
    const { usable, unusable, foreign } = this.codec.sort(page);
    this.foreign += foreign;
    for (const { event, reason } of unusable) this.found.set(event.id, sentence(event, reason));
    for (const id of usable.flatMap((event) => skippedIdOf(event) ?? [])) if (this.found.delete(id)) this.skipped += 1;
  }

  /** Returns a sentence for each event that cannot be used and was not skipped. */
  faults(): string[] {
    return [...this.found.values()];
  }

  /** Returns a sentence about the events that are passed over, if there are any. */
  notes(): string[] {
    return [
      ...(this.skipped > 0 ? [`${this.skipped} cannot be used and were skipped by an operator.`] : []),
      ...(this.foreign > 0 ? [`${this.foreign} are in streams that are not the service’s, and are passed over.`] : []),
    ];
  }
}

function sentence({ id, stream, revision, position, type }: StoredEvent, reason: string): string {
  return `The event ${id} (type ${type}, ${stream} at revision ${revision}, position ${position}) cannot be used, because ${reason}.`;
}
