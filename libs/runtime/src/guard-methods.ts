/** On the class, which may outlive this module: test files of a process share packages. */
const guarded = Symbol.for('inventory.guarded');

/**
 * Replaces methods of a library's class; further calls for the class have no effect. Call it at the
 * start of a process.
 *
 * @throws Error when the class lacks one of the methods
 */
export function guardMethods<Methods extends object>(
  library: string,
  prototype: Methods,
  guardsOf: (original: Methods) => Partial<Methods>,
): void {
  const guards = guardsOf(prototype);
  for (const name of Object.keys(guards)) {
    if (typeof Reflect.get(prototype, name) !== 'function') {
      throw new Error(`${library} changed: it has no method ${name} to guard`);
    }
  }
  if (Object.hasOwn(prototype, guarded)) return;
  Object.assign(prototype, guards);
  Object.defineProperty(prototype, guarded, { value: true });
}
