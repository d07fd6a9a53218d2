import { hasCode, messageOf, SetupError } from '@inventory/backends/setup-error';

/** The sentence for the screen about a start that failed: the problem and, where known, the hint. */
export function explainFailure(error: unknown): string {
  if (error instanceof SetupError) return error.message;
  if (hasCode(error, 'ENOSPC')) return 'The disk is full: free about 2 GB and run again.';
  if (hasCode(error, 'EACCES') || hasCode(error, 'EPERM') || hasCode(error, 'EROFS')) {
    return `A file cannot be written (${messageOf(error)}): correct its owner and permissions and run again.`;
  }
  const stack = error instanceof Error ? error.stack : undefined;
  return `The local stack failed: ${stack ?? messageOf(error)}`;
}
