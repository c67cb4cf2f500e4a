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
    addLocalTimes(part);
    part.dispatchEvent(new CustomEvent('rupa:changed', { bubbles: true }));
  });
  events.addEventListener('last', () => {
    events.close();
  });
  events.addEventListener('error', () => {
    part.classList.add('stale');
  });
}

focusSearchOnCtrlK();
addLocalTimes(document);
for (const part of document.querySelectorAll<HTMLElement>(LIVE)) follow(part);
