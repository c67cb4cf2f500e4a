import { type Routes } from '../../screen.js';

/** Not built yet. */
export function addPriceScreens(routes: Routes): void {
  void routes;
}
