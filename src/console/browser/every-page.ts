/** Script of every page: local times on hover, Ctrl-K for the search, and parts that the server sends again when they change. */
import { watchConnection } from './service-connection.js';

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

focusSearchOnCtrlK();
addLocalTimes(document);
watchConnection(addLocalTimes);
