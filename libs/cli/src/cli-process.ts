import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** What the program uses of its process. */
export interface CliProcess {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly homeDirectory: string;
  /** Resolves when the reader of standard output takes more. */
  readonly write: (data: string | Uint8Array) => Promise<void>;
  readonly writeError: (text: string) => void;
  /** Width of the terminal at standard output, or at standard error; undefined where there is none. */
  readonly columns: () => number | undefined;
  readonly errorColumns: () => number | undefined;
  /** A key from standard input, without an echo where that is a terminal. */
  readonly promptKey: () => Promise<string>;
  /** Messages of an MCP host over standard input and output, which then have nothing else. */
  readonly openTransport: () => Promise<Transport>;
  /** Milliseconds since the Unix epoch. */
  readonly nowMs: () => number;
  /** Resolves after the time; rejects with the reason of `signal`. */
  readonly pause: (ms: number) => Promise<void>;
  /** Aborted with {@link Interrupted}. */
  readonly signal: AbortSignal;
}

export const exitCodes = { done: 0, refused: 1, usage: 2, unfinished: 3, noInventory: 4 } as const;
export type ExitCode = number;

/** The user, or the system, ends the program. */
export class Interrupted extends Error {
  override name = 'Interrupted';
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode) {
    super('interrupted');
    this.exitCode = exitCode;
  }
}

/** The program cannot start as it was called; the message says what to change. */
export class UsageFault extends Error {
  override name = 'UsageFault';
}
