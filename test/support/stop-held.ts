import { stopHeld } from './held-for-teardown.ts';

/** Jest's global teardown: ends what its global setup has started. */
// biome-ignore lint/style/noDefaultExport: Jest takes its hooks as default exports.
export default stopHeld;
