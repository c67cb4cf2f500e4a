import { store } from './projects.js';

/** Configures `npm run test:store`, which runs test/store on the event store at STORE_URL. It needs no other server. */
export default store;
