import { type Routes } from '../../screen.js';

/** Not built yet. */
export function addLookupScreens(routes: Routes): void {
  void routes;
}
