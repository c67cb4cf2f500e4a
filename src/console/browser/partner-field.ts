/** Script of pages with a field for a partner: suggests those with the typed text in their name, also beyond the ones that came with the page. */

interface Suggestion {
  readonly partner_id: string;
  readonly company_name: string;
}

/** Milliseconds without a key before the service is asked. */
const PAUSE_MS = 200;

function suggestIn(field: HTMLInputElement): void {
  let waiting: ReturnType<typeof setTimeout> | undefined;
  let asked = '';
  const ask = async (): Promise<void> => {
    const text = field.value.trim();
    if (text === asked) return;
    asked = text;
    const response = await fetch(`${field.dataset.partners ?? ''}?${new URLSearchParams({ name: text }).toString()}`);
    if (!response.ok || field.value.trim() !== text) return;
    const found = (await response.json()) as readonly Suggestion[];
    // Choosing a suggestion puts an id into the field, which no name contains.
    if (found.length === 0) return;
    field.list?.replaceChildren(...found.map(({ partner_id, company_name }) => new Option(company_name, partner_id)));
  };
  field.addEventListener('input', () => {
    clearTimeout(waiting);
    // A failed request leaves the suggestions as they are.
    waiting = setTimeout(() => void ask().catch(() => undefined), PAUSE_MS);
  });
}

for (const field of document.querySelectorAll<HTMLInputElement>('[data-partners]')) suggestIn(field);
