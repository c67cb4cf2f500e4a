/** Script of every page: local times on hover, Ctrl-K for the search, and parts that the server sends again when they change. */

const LIVE = '[data-live]';

function addLocalTimes(root: ParentNode): void {
  for (const time of root.querySelectorAll('time')) {
    const at = new Date(time.dateTime);
    if (!time.title && !Number.isNaN(at.valueOf())) time.title = `${at.toLocaleString()} (local), ${time.dateTime} (UTC)`;
  }
}

function focusSearchOnCtrlK(): void {
  document.addEventListener('keydown', (event) => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return;
    const search = document.querySelector<HTMLInputElement>('[data-search]');
    if (!search) return;
    event.preventDefault();
    search.focus();
    search.select();
  });
}

/** Replaces the part with each text that arrives. The browser itself connects again after an interruption. */
function follow(part: HTMLElement): void {
  const events = new EventSource(part.dataset.live ?? '');
  events.addEventListener('message', ({ data }: MessageEvent<string>) => {
    part.innerHTML = data;
    part.classList.remove('stale');
    complete(part);
    part.dispatchEvent(new CustomEvent('rupa:changed', { bubbles: true }));
  });
  events.addEventListener('last', () => {
    events.close();
  });
  events.addEventListener('error', () => {
    part.classList.add('stale');
  });
}

/** Asks before an act that is hard to reverse. The server sends such buttons disabled: pressed before now, nobody would have been asked. */
function confirmDangerousActs(): void {
  document.addEventListener('submit', (event) => {
    const button = event.submitter;
    const question = button?.dataset.confirm;
    if (question && !confirm(question)) event.preventDefault();
  });
}

/** Changes parts that the server has sent: the whole page first, then each that it sends again. */
function complete(root: ParentNode): void {
  addLocalTimes(root);
  for (const button of root.querySelectorAll<HTMLButtonElement>('[data-confirm]')) button.disabled = false;
}

focusSearchOnCtrlK();
confirmDangerousActs();
complete(document);
for (const part of document.querySelectorAll<HTMLElement>(LIVE)) follow(part);
