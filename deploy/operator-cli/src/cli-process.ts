import type { OperatorAccess } from '@inventory/operator-client/operator-client';

/** What the client uses of its process. */
export interface CliProcess {
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly directory: string;
  readonly write: (text: string) => void;
  /** The whole of standard input. */
  readonly readInput: () => Promise<string>;
  readonly writeError: (text: string) => void;
  /** Overrides how the API is called. */
  readonly connection?: Pick<OperatorAccess, 'fetch' | 'timeoutMs'>;
}

export const exitCodes = { done: 0, failed: 1, usage: 2 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];
