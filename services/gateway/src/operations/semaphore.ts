/** Runs at most `limit` pieces of work at a time; the others wait in the order they came. */
export function boundedTurns(limit: number) {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      // The place passes on to whoever waits longest; it is free only when nobody does.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
