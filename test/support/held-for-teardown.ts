type Stop = () => Promise<void>;

/** Setup and teardown are loaded as separate modules: only the global object is common to both. */
const key = Symbol.for('inventory.held-for-teardown');

function held(): Stop[] {
  const known: Stop[] | undefined = Reflect.get(globalThis, key);
  if (known) return known;
  const stops: Stop[] = [];
  Reflect.set(globalThis, key, stops);
  return stops;
}

/** What Jest's global setup has started; ended in reverse order by its global teardown. */
export function holdForTeardown(stop: Stop): void {
  held().push(stop);
}

export async function stopHeld(): Promise<void> {
  for (let stop = held().pop(); stop !== undefined; stop = held().pop()) await stop();
}
