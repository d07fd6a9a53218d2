type Stop = () => Promise<void>;

/** Setup and teardown are separate modules that share the global object only. */
const key = Symbol.for('inventory.held-for-teardown');

function held(): Stop[] {
  const known: Stop[] | undefined = Reflect.get(globalThis, key);
  if (known) return known;
  const stops: Stop[] = [];
  Reflect.set(globalThis, key, stops);
  return stops;
}

/** Registers what Jest's global setup started; its global teardown ends it in reverse order. */
export function holdForTeardown(stop: Stop): void {
  held().push(stop);
}

/** Jest's global teardown. */
// biome-ignore lint/style/noDefaultExport: Jest takes its hooks as default exports.
export default async function stopHeld(): Promise<void> {
  for (let stop = held().pop(); stop !== undefined; stop = held().pop()) await stop();
}
