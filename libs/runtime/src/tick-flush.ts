/**
 * Runs what was requested in one tick of the event loop together at its end, each function once,
 * however often it was requested.
 */
export function createTickFlush(): (flush: () => void) => void {
  let due = new Set<() => void>();

  function runAll(): void {
    const now = due;
    due = new Set();
    for (const flush of now) flush();
  }

  return (flush) => {
    if (due.size === 0) setImmediate(runAll);
    due.add(flush);
  };
}
