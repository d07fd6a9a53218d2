import type { Backends } from '@inventory/backends/provision-backends';

/** Setup and teardown are loaded as separate modules: only the global object is common to both. */
const key = Symbol.for('inventory.test-backends');

export function holdBackends(backends: Backends): void {
  Reflect.set(globalThis, key, backends);
}

export function heldBackends(): Backends | undefined {
  return Reflect.get(globalThis, key);
}
