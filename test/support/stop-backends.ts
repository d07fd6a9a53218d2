import { heldBackends } from './held-backends.ts';

/** Jest's global teardown: ends what the setup started, and nothing that was given by address. */
// biome-ignore lint/style/noDefaultExport: Jest takes its hooks as default exports.
export default async function stopBackends(): Promise<void> {
  await heldBackends()?.stop();
}
