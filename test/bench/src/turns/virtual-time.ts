interface Planned {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** Time that jumps from one planned thing to the next; equal times run in the order of planning. */
export class VirtualTime {
  nowMs = 0;
  private order = 0;
  private readonly heap: Planned[] = [];

  at(atMs: number, run: () => void): void {
    this.order += 1;
    this.heap.push({ atMs: Math.max(atMs, this.nowMs), order: this.order, run });
    this.siftUp(this.heap.length - 1);
  }

  after(delayMs: number, run: () => void): void {
    this.at(this.nowMs + delayMs, run);
  }

  /** Runs what is planned until `untilMs`. */
  runUntil(untilMs: number): void {
    for (let next = this.heap[0]; next && next.atMs <= untilMs; next = this.heap[0]) {
      this.removeFirst();
      this.nowMs = next.atMs;
      next.run();
    }
  }

  private removeFirst(): void {
    const last = this.heap.pop();
    if (!last || this.heap.length === 0) return;
    this.heap[0] = last;
    for (let index = 0; ; ) {
      const children = [2 * index + 1, 2 * index + 2];
      const least = children.reduce(
        (best, child) => (this.isBefore(child, best) ? child : best),
        index,
      );
      if (least === index) return;
      this.swap(index, least);
      index = least;
    }
  }

  private siftUp(from: number): void {
    for (let index = from; index > 0; ) {
      const parent = (index - 1) >> 1;
      if (!this.isBefore(index, parent)) return;
      this.swap(index, parent);
      index = parent;
    }
  }

  private isBefore(left: number, right: number): boolean {
    const [one, other] = [this.heap[left], this.heap[right]];
    if (!one || !other) return false;
    return one.atMs < other.atMs || (one.atMs === other.atMs && one.order < other.order);
  }

  private swap(left: number, right: number): void {
    const [one, other] = [this.heap[left], this.heap[right]];
    if (!one || !other) return;
    this.heap[left] = other;
    this.heap[right] = one;
  }
}
