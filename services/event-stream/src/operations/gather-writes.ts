/** Joins the items of all calls that are made during a write into the next write. */
export function gatherWrites<Item>(
  write: (items: readonly Item[]) => Promise<unknown>,
): (item: Item) => Promise<void> {
  let waiting: Item[] = [];
  let next: Promise<void> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  async function writeAfter(previous: Promise<unknown>): Promise<void> {
    await previous.catch(() => {});
    const items = waiting;
    waiting = [];
    next = null;
    await write(items);
  }

  return (item) => {
    waiting.push(item);
    if (next === null) {
      next = writeAfter(last);
      last = next;
    }
    return next;
  };
}
