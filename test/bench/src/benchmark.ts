import type { Backends } from '@inventory/backends/provision-backends';
import type { Row } from './row.ts';

/** What a benchmark runs on. */
export interface BenchContext {
  readonly backends: Backends;
  /** Shorter runs, for a first look; figures are then only rough. */
  readonly quick: boolean;
  readonly say: (sentence: string) => void;
}

export interface Benchmark {
  readonly name: string;
  readonly run: (context: BenchContext) => Promise<Row[]>;
}
