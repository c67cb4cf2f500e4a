/** Script of the page that verifies an evidence file: starts the worker, and shows its progress and its result. */
import { type AuditProgress, type AuditRequest } from './audit-worker.js';
import { showNotice } from './notice.js';
import { notesIn } from './wallet-checkpoint.js';

const form = document.querySelector<HTMLFormElement>('[data-audit]');
const output = document.querySelector<HTMLElement>('[data-audit-result]');
const progress = document.querySelector<HTMLElement>('[data-audit-progress]');
const summary = document.querySelector<HTMLElement>('[data-audit-summary]');

interface Started {
  readonly request: AuditRequest;
  /** Sentences for the result, whatever it is. */
  readonly remarks: readonly string[];
}

let running: Worker | undefined;
let published = '';

form?.addEventListener('submit', (event) => {
  event.preventDefault();
  stop();
  requestIn(form)
    .then(start)
    .catch((error: unknown) => {
      showNotice(output, 'bad', error instanceof Error ? error.message : String(error));
    });
});

progress?.querySelector('button')?.addEventListener('click', () => {
  stop();
  showNotice(output, 'plain', 'The check was cancelled. It says nothing about the file.');
});

void fillInKeys();

/** The person may have typed keys before the service responds. */
async function fillInKeys(): Promise<void> {
  const keys = form?.querySelector<HTMLTextAreaElement>('[name=keys]');
  const response = await fetch('/.well-known/rupa-checkpoint-key');
  if (!response.ok || !keys) return;
  published = (await response.text()).trim();
  if (keys.value === '') keys.value = published;
}

/** @throws Error that says which field is missing or wrong */
async function requestIn(filled: HTMLFormElement): Promise<Started> {
  const [file] = filesOf(filled, 'file');
  const [keys, pasted] = [textOf(filled, 'keys').trim(), notesIn(textOf(filled, 'pasted'))];
  if (!file) throw new Error('Choose the evidence file.');
  if (keys === '') throw new Error('Enter the verifier keys, one a line.');
  const notes = await Promise.all(filesOf(filled, 'notes').map(async (each) => ({ path: each.name, text: await each.text() })));
  const named = pasted.notes.map((text, index) => ({ path: `pasted note ${index + 1}`, text }));
  const remarks = [
    ...pasted.repairs,
    ...(keys === published
      ? [
          'The keys are those that this service publishes now. That proves less: a service that forges a checkpoint can publish a key that fits.',
        ]
      : []),
    ...(notes.length + named.length === 0
      ? ['No checkpoint was given that you kept, so the service could have rewritten the whole log. Keep one for the next time.']
      : []),
  ];
  return { request: { file, keys, notes: [...notes, ...named], options: optionsIn(textOf(filled, 'window').trim()) }, remarks };
}

/** The program itself refuses what is neither a day, a time nor a month. */
function optionsIn(window: string): AuditRequest['options'] {
  if (window === '') return {};
  return /^\d{4}-\d{2}$/.test(window) ? { month: window } : { at: window };
}

function filesOf(filled: HTMLFormElement, name: string): readonly File[] {
  return [...(filled.querySelector<HTMLInputElement>(`[name=${name}]`)?.files ?? [])];
}

/** FormData would give the ends of lines that a form is sent with, and a signature holds for one form only. */
function textOf(filled: HTMLFormElement, name: string): string {
  return filled.querySelector<HTMLInputElement | HTMLTextAreaElement>(`[name=${name}]`)?.value ?? '';
}

function start({ request, remarks }: Started): void {
  const worker = new Worker('/console/assets/audit-worker.js', { type: 'module' });
  const began = performance.now();
  running = worker;
  show(0, 0, request.file.size, began);
  worker.addEventListener('message', ({ data }: MessageEvent<AuditProgress>) => {
    if (data.kind === 'progress') show(data.events, data.bytes, request.file.size, began);
    else finish(data, remarks);
  });
  worker.addEventListener('error', () => {
    stop();
    showNotice(output, 'bad', 'The check could not run in this browser. Use a current one, or the programs of docs/audit.md.');
  });
  worker.postMessage(request);
}

function stop(): void {
  running?.terminate();
  running = undefined;
  // The button to cancel disappears, and with it the focus of somebody who uses the keyboard.
  if (progress?.contains(document.activeElement)) form?.querySelector('button')?.focus();
  for (const each of [progress, output, summary]) if (each) each.hidden = true;
}

function show(events: number, bytes: number, size: number, began: number): void {
  if (!progress) return;
  const bar = progress.querySelector('progress');
  if (bar) bar.value = size === 0 ? 1 : bytes / size;
  const rate = Math.round((events / Math.max(1, performance.now() - began)) * 1_000);
  const line = progress.querySelector('p');
  if (line)
    line.textContent = `${megabytes(bytes)} of ${megabytes(size)} MB read, ${countText(events)} events, ${countText(rate)} a second.`;
  progress.hidden = false;
}

const countText = (count: number): string => count.toLocaleString('en-NG');
const megabytes = (bytes: number): string => (bytes / 1e6).toLocaleString('en-NG', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

function finish(result: Exclude<AuditProgress, { kind: 'progress' }>, remarks: readonly string[]): void {
  stop();
  if (result.kind === 'failed') {
    showNotice(output, 'bad', result.reason);
    return;
  }
  const { fault, events } = result;
  const good = `Everything holds, of ${events === 1 ? '1 event' : `${countText(events)} events`}.`;
  showNotice(output, fault === undefined ? 'good' : 'bad', fault ?? good, remarks);
  if (!summary) return;
  const [text, link] = [summary.querySelector('pre'), summary.querySelector('a')];
  if (text) text.textContent = result.summary;
  if (link) {
    URL.revokeObjectURL(link.href);
    link.href = URL.createObjectURL(new Blob([`${result.summary}\n`], { type: 'text/plain' }));
  }
  summary.hidden = false;
}
