import { stopHeld } from './held-for-teardown.ts';

/** Jest's global teardown. */
// biome-ignore lint/style/noDefaultExport: Jest takes its hooks as default exports.
export default stopHeld;
