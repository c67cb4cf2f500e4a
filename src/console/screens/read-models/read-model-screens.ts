import { type Routes } from '../../screen.js';

/** Not built yet. */
export function addReadModelScreens(routes: Routes): void {
  void routes;
}
