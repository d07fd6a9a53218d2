interface Planned {
  readonly atMs: number;
  readonly run: () => void;
}

/** Time that jumps from one planned thing to the next; equal times run in the order of planning. */
export class VirtualTime {
  nowMs = 0;
  /** The latest first, of equal times the one that was planned last. */
  private readonly planned: Planned[] = [];

  at(wantedMs: number, run: () => void): void {
    const atMs = Math.max(wantedMs, this.nowMs);
    let [from, to] = [0, this.planned.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if ((this.planned[middle]?.atMs ?? atMs) > atMs) from = middle + 1;
      else to = middle;
    }
    this.planned.splice(from, 0, { atMs, run });
  }

  after(delayMs: number, run: () => void): void {
    this.at(this.nowMs + delayMs, run);
  }

  /** Runs what is planned until `untilMs`. */
  runUntil(untilMs: number): void {
    for (let next = this.planned.at(-1); next && next.atMs <= untilMs; next = this.planned.at(-1)) {
      this.planned.pop();
      this.nowMs = next.atMs;
      next.run();
    }
  }
}
