/** Values in order, of which the next one can be read before it is taken. */
export interface PeekQueue<Value> {
  /** Null at the end. */
  peek(): Promise<Value | null>;
  take(): Promise<Value | null>;
}

export function createPeekQueue<Value>(values: AsyncIterable<Value>): PeekQueue<Value> {
  const iterator = values[Symbol.asyncIterator]();
  let next: Value | null | undefined;

  async function peek(): Promise<Value | null> {
    if (next === undefined) {
      const read = await iterator.next();
      next = read.done ? null : read.value;
    }
    return next;
  }

  return {
    peek,
    async take() {
      const taken = await peek();
      if (taken !== null) next = undefined;
      return taken;
    },
  };
}
