import { type ComponentChildren, type VNode } from 'preact';

const NAIRA = new Intl.NumberFormat('en-NG', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
const COUNT = new Intl.NumberFormat('en-NG');

/** An amount in NGN, as the interface returns it, with the sign of the naira. */
export function Money({ amount }: { readonly amount: number | null | undefined }): VNode {
  if (amount == null) return <span class="soft">–</span>;
  return <span class="money">{nairaText(amount)}</span>;
}

export function nairaText(amount: number): string {
  return `${amount < 0 ? '−' : ''}₦${NAIRA.format(Math.abs(amount))}`;
}

/** A whole number with separators of thousands. */
export function Count({ value }: { readonly value: number | string | null | undefined }): VNode {
  return value == null ? <span class="soft">–</span> : <span class="number">{COUNT.format(BigInt(Math.round(Number(value))))}</span>;
}

/** A moment in UTC. The module `every-page` adds the local time, which is shown on hover. */
export function Time({ at }: { readonly at: string | null | undefined }): VNode {
  if (!at) return <span class="soft">–</span>;
  return <time dateTime={at}>{`${at.slice(0, 10)} ${at.slice(11, 19)}`}</time>;
}

/** An id, a hash or another text that people compare and copy. A long one is cut in the middle, and is whole in its title. */
export function Code({ children, cut }: { readonly children: string; readonly cut?: number }): VNode {
  if (cut === undefined || children.length <= cut) return <code>{children}</code>;
  const half = Math.floor((cut - 1) / 2);
  return <code title={children}>{`${children.slice(0, half)}…${children.slice(-half)}`}</code>;
}

/** Marks that change the direction in which letters and digits are shown. */
const DIRECTION_MARKS = /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]/g;

/**
 * Returns a value as JSON in which marks of direction are escaped. Somebody could put one into a text, such as a reference, and everything after
 * it, amounts too, would be shown backwards.
 * @param indent spaces of each level; without it, the JSON is one line
 */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replaceAll(
    DIRECTION_MARKS,
    (mark) => `\\u${(mark.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

export type Tone = 'good' | 'bad' | 'warn' | 'plain';

/** A state in one or two words. Its text says everything that its color says. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }): VNode {
  return <span class={`badge ${tone}`}>{children}</span>;
}

/** A sentence about what happened, or about what to do. */
export function Notice({ tone, children }: { readonly tone: Tone; readonly children: ComponentChildren }): VNode {
  return (
    <div class={`notice ${tone}`} role={tone === 'bad' ? 'alert' : 'status'}>
      {children}
    </div>
  );
}

/** Stands where a list would be: why it is empty, and what to do about it. */
export function Empty({ children }: { readonly children: ComponentChildren }): VNode {
  return <p class="empty">{children}</p>;
}
