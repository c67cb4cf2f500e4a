import { type Routes } from '../../screen.js';

/** Not built yet. */
export function addBookScreens(routes: Routes): void {
  void routes;
}
