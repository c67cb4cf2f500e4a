/** Script of the page that compares a bank's file with the books: it shows the file's columns, remembers the chosen ones, and the result. */

const REMEMBERED = 'rupa.bank-columns';
const FIELDS = ['date', 'reference', 'credit', 'debit', 'amount'];
const PARAMETERS = ['mode', 'from', 'to', 'days', 'tolerance'];
/** Files of so many banks are remembered. */
const MAX_REMEMBERED = 20;

type Chosen = Readonly<Record<string, string>>;

const form = document.querySelector<HTMLFormElement>('[data-reconcile]');
const columns = document.querySelector<HTMLElement>('[data-reconcile-columns]');
const result = document.querySelector<HTMLElement>('[data-reconcile-result]');
const button = form?.querySelector('button');

function valueOf(name: string): string {
  const field = form?.elements.namedItem(name);
  return field instanceof HTMLInputElement || field instanceof HTMLSelectElement ? field.value.trim() : '';
}

function chosenFile(): File | undefined {
  return form?.querySelector<HTMLInputElement>('input[type=file]')?.files?.[0];
}

/** Returns the columns that were chosen for files with the same names of columns, the newest file last. */
function remembered(): Map<string, Chosen> {
  try {
    return new Map(JSON.parse(localStorage.getItem(REMEMBERED) ?? '[]') as [string, Chosen][]);
  } catch {
    return new Map();
  }
}

function namesOfColumns(): string | undefined {
  return columns?.querySelector<HTMLElement>('[data-names]')?.dataset.names;
}

function remember(): void {
  const names = namesOfColumns();
  if (names === undefined) return;
  const all = remembered();
  all.delete(names);
  all.set(names, Object.fromEntries(FIELDS.map((field) => [field, valueOf(field)])));
  try {
    localStorage.setItem(REMEMBERED, JSON.stringify([...all].slice(-MAX_REMEMBERED)));
  } catch {
    // A browser that stores nothing guesses the columns again.
  }
}

function recall(): void {
  const chosen = remembered().get(namesOfColumns() ?? '') ?? {};
  for (const [name, value] of Object.entries(chosen)) {
    const field = form?.elements.namedItem(name);
    if (field instanceof HTMLSelectElement) field.value = value;
  }
}

function say(element: HTMLElement | null, tone: 'plain' | 'bad', text: string): void {
  const notice = document.createElement('p');
  notice.className = `notice ${tone}`;
  notice.textContent = text;
  element?.replaceChildren(notice);
}

/** Sends the file, and shows the part of the page that the service responds with. */
async function send(to: string, query: URLSearchParams, element: HTMLElement | null): Promise<void> {
  const file = chosenFile();
  if (!form || !file) return;
  say(element, 'plain', 'The file is being read …');
  try {
    const response = await fetch(`${form.dataset.reconcile ?? ''}/${to}?${query.toString()}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/octet-stream', 'X-Csrf': form.dataset.csrf ?? '' },
      body: file,
    });
    const text = await response.text();
    if (file !== chosenFile()) return;
    if (response.ok && element) element.innerHTML = text;
    else
      say(
        element,
        'bad',
        response.status === 413 ? 'The file is larger than 8 MiB.' : 'The file could not be read. Reload the page and try again.',
      );
  } catch {
    say(element, 'bad', 'The service did not respond. Try again.');
  }
}

async function showColumns(): Promise<void> {
  if (button) button.disabled = true;
  result?.replaceChildren();
  columns?.replaceChildren();
  await send('columns', new URLSearchParams(), columns);
  recall();
  if (button) button.disabled = namesOfColumns() === undefined;
}

async function showResult(): Promise<void> {
  if (button) button.disabled = true;
  remember();
  const values = [...FIELDS, ...PARAMETERS].map((name): [string, string] => [name, valueOf(name)]);
  await send('result', new URLSearchParams(values.filter(([, value]) => value !== '')), result);
  if (button) button.disabled = false;
  result?.scrollIntoView();
}

form?.querySelector('input[type=file]')?.addEventListener('change', () => void showColumns());
form?.addEventListener('submit', (event) => {
  event.preventDefault();
  void showResult();
});
// A browser may keep the file when the page is loaded again.
if (chosenFile()) void showColumns();
