import { type Routes } from '../../screen.js';

/** Not built yet. */
export function addWebhookScreens(routes: Routes): void {
  void routes;
}
