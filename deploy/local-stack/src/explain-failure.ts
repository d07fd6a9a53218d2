import { hasCode, ProvisionError, sentenceOf } from '@inventory/backends/provision-error';

/** What to show a person for a start that failed: what is wrong and, where it is known, the fix. */
export function explainFailure(error: unknown): string {
  if (error instanceof ProvisionError) return error.message;
  if (hasCode(error, 'ENOSPC')) return 'The disk is full: free about 2 GB and run again.';
  if (hasCode(error, 'EACCES') || hasCode(error, 'EPERM') || hasCode(error, 'EROFS')) {
    return `A file cannot be written (${sentenceOf(error)}): correct its owner and permissions and run again.`;
  }
  const stack = error instanceof Error ? error.stack : undefined;
  return `The local stack failed: ${stack ?? sentenceOf(error)}`;
}
