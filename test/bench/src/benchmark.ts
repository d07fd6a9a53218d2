import type { Backends } from '@inventory/backends/provision-backends';
import type { BenchStacks } from './bench-stacks.ts';
import type { Row } from './row.ts';

/** How a benchmark is run. */
export interface BenchOptions {
  /** Smaller sizes, for a first check; figures are then only rough. */
  readonly quick: boolean;
  /** How long one load is measured. */
  readonly periodMs: number;
  /** The same seed gives the same random numbers. */
  readonly seed: number;
  readonly say: (sentence: string) => void;
}

export interface BenchContext extends BenchOptions, Omit<BenchStacks, 'close'> {
  readonly backends: Backends;
}

/** A benchmark on Kafka and MongoDB. */
interface BackendBenchmark {
  readonly name: string;
  readonly run: (context: BenchContext) => Promise<Row[]>;
}

/** A benchmark of code that needs no server; none is started for it. */
interface CoreBenchmark {
  readonly name: string;
  readonly runWithoutBackends: (options: BenchOptions) => Row[];
}

export type Benchmark = BackendBenchmark | CoreBenchmark;
