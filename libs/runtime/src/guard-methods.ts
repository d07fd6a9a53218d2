const guarded = new WeakSet<object>();

/**
 * Puts guards in the place of methods of a library's class: once for a class, however often it is
 * called.
 *
 * @throws Error when the library no longer has a method that is guarded: to be called at start-up
 */
export function guardMethods<Methods extends object>(
  library: string,
  prototype: Methods,
  guardsOf: (original: Methods) => Partial<Methods>,
): void {
  const guards = guardsOf(prototype);
  for (const name of Object.keys(guards)) {
    if (typeof Reflect.get(prototype, name) !== 'function') {
      throw new Error(`${library} changed: it no longer has the method ${name}, which is guarded`);
    }
  }
  if (guarded.has(prototype)) return;
  Object.assign(prototype, guards);
  guarded.add(prototype);
}
