import { type Shown, shownBy } from '../checkpoints.js';
import { START } from '../positions.js';

/** How far each read model shows the log, as far as this instance was told. */
export class ShownModels {
  private position = START;
  /** The positions of the read models that do not show `position`, by name. */
  private readonly behind = new Map<string, bigint>();

  /** Returns whether the read models show the event at `position`; without `models`, those that keep up with the log. */
  show(position: bigint, models: readonly string[] = []): boolean {
    return this.position >= position && models.every((model) => this.of(model) >= position);
  }

  /** Returns the position up to which the read model shows the log. */
  of(model: string): bigint {
    return this.behind.get(model) ?? this.position;
  }

  /** Takes what a committed batch announced. */
  announced({ position, behind }: Shown): void {
    if (position < this.position) return;
    const known = new Map(behind.map((model) => [model, this.of(model)]));
    this.behind.clear();
    for (const [model, own] of known) this.behind.set(model, own);
    this.position = position;
  }

  /** Takes the positions that were read from the database. They may be older than what was announced meanwhile. */
  read(positions: ReadonlyMap<string, bigint>): void {
    const { position, behind } = shownBy(positions);
    if (position < this.position) return;
    this.behind.clear();
    for (const model of behind) this.behind.set(model, positions.get(model) ?? START);
    this.position = position;
  }
}
