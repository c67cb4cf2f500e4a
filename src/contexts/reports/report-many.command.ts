import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ApiError } from '../../http/errors/api-error.js';
import { ErrorResponses } from '../../http/errors/error-responses.js';
import { sentence } from '../../http/validating/field-errors.js';
import { validateBody } from '../../http/validating/validation.js';
import { Clock } from '../../kernel/clock.js';
import { type FieldErrors, ValidationFailed } from '../../kernel/validation-failed.js';
import { HistoryMissing } from '../../platform/event-sourcing/event-store.js';
import { EventSetAside } from '../../platform/event-sourcing/coding/unusable-event.js';
import { DataKeyMissing } from '../../platform/key-store/data-keys.js';
import { CiphertextUnusable } from '../../platform/key-store/encryption.js';
import { RowForged } from '../../platform/projecting/row-macs.js';
import { storeOutage } from '../../platform/store-outages.js';
import { type ListedReport, ReportDto, REPORTS_INTERRUPTED } from './report.dto.js';
import { type RecordedContribution, type Reporter, ReportRecorder } from './report-recorder.js';

/** Reports of a call that are recorded at once. Their farmers are found by one statement, and each is appended to a stream of its own. */
const AT_ONCE = 25;
/** Errors of records about one farmer or one contribution, which an operator must repair. Other farmers' reports can be recorded meanwhile. */
const UNUSABLE = [EventSetAside, RowForged, CiphertextUnusable, DataKeyMissing];

/** Records each report of a list like a single one (decisions, "Many at once"). */
export class ReportMany extends Command<readonly ListedReport[]> {
  constructor(
    readonly partner: Reporter,
    /** The items of the list as they were sent. */
    readonly items: readonly unknown[],
    /** Together with its place, it names a report without a reference. A list that runs again with the same id creates nothing again. */
    readonly operationId: string,
  ) {
    super();
  }
}

interface Item {
  readonly index: number;
  /** Undefined if the report is refused. */
  readonly report?: ReportDto;
}

/**
 * Records the reports of a list: those with one reference one after another, because the last one counts, and all others at once. If a store
 * fails, no further report is begun; the response then names those that are recorded, and a retry with the same operation id completes the list.
 */
@CommandHandler(ReportMany)
export class ReportManyHandler implements ICommandHandler<ReportMany> {
  constructor(
    private readonly recorder: ReportRecorder,
    private readonly responses: ErrorResponses,
    private readonly clock: Clock,
  ) {}

  async execute({ partner, items, operationId }: ReportMany): Promise<readonly ListedReport[]> {
    const results = new Map<number, ListedReport>();
    const valid = items.flatMap((sent, index): Required<Item>[] => {
      const parsed = this.parse(sent, index, partner);
      if (parsed instanceof ReportDto) return [{ index, report: parsed }];
      results.set(index, { index, outcome: 'refused', code: 'validation_failed', errors: parsed });
      return [];
    });
    const confirms: (() => Promise<void>)[] = [];
    const interruption = await untilFailure(inOrderOfReferences(valid), async ({ index, report }) => {
      try {
        const { recorded, confirm } = await this.recorder.record(partner, report, `${operationId}-${index}`);
        confirms.push(confirm);
        results.set(index, recordedAs(index, recorded));
      } catch (error) {
        results.set(index, { index, outcome: 'refused', code: this.refusalOf(error) });
      }
    });
    await Promise.all(confirms.map((confirm) => confirm()));
    const listed = [...results.values()].toSorted((one, other) => one.index - other.index);
    if (interruption) throw interrupted(interruption.error, listed);
    return listed;
  }

  /** Returns a valid report, or what is wrong with it. */
  private parse(sent: unknown, index: number, { account_type }: Reporter): ReportDto | FieldErrors {
    const at = `reports.${index}`;
    if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return { [at]: [sentence('nestedValidation', at, [], sent)] };
    try {
      return validateBody(ReportDto, sent, { accountType: account_type, now: this.clock.now() });
    } catch (error) {
      if (error instanceof ValidationFailed) return error.errors;
      throw error;
    }
  }

  /** Returns the code of an error that concerns one report alone, of which nothing is recorded. @throws every other error */
  private refusalOf(error: unknown): NonNullable<ListedReport['code']> {
    if (error instanceof HistoryMissing) return 'history_missing';
    if (this.responses.to(error)?.code === 'farmer_not_found') return 'farmer_not_found';
    if (UNUSABLE.some((type) => error instanceof type)) return 'unavailable';
    throw error;
  }
}

function recordedAs(index: number, { created, contribution_id }: RecordedContribution): ListedReport {
  return { index, outcome: created ? 'created' : 'updated', contribution_id };
}

/** Returns the reports of each reference, in their order; one without a reference is alone. */
function inOrderOfReferences(items: readonly Required<Item>[]): readonly (readonly Required<Item>[])[] {
  return [...Map.groupBy(items, ({ index, report: { partner_reference } }) => partner_reference ?? index).values()];
}

/**
 * Runs `work` on the items of each chain in their order, on {@link AT_ONCE} chains at once. Returns the first error, after which no item is
 * begun, once all that were begun have ended.
 */
async function untilFailure<Of>(
  chains: readonly (readonly Of[])[],
  work: (item: Of) => Promise<void>,
): Promise<{ readonly error: unknown } | undefined> {
  const waiting = chains.values();
  let failure: { readonly error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (const chain of waiting) {
      for (const item of chain) {
        if (failure) return;
        try {
          await work(item);
        } catch (error) {
          failure ??= { error };
        }
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return failure;
}

/** Returns the error of a call that did not record all of its reports. */
function interrupted(error: unknown, results: readonly ListedReport[]): unknown {
  if (storeOutage(error) === undefined) return error;
  return Object.assign(new ApiError('unavailable', { message: REPORTS_INTERRUPTED.message, data: { results } }), { cause: error });
}
