/**
 * Something of the machine is in the way. The message is for the person at the screen: what is
 * wrong and what to do about it, so it is shown without a stack.
 */
export class ProvisionError extends Error {
  override name = 'ProvisionError';
}

/** The sentence to show for anything thrown while provisioning. */
export function sentenceOf(error: unknown): string {
  return isObject(error) && 'message' in error ? String(error.message) : String(error);
}

/** Whether a system call failed with this code. */
export function hasCode(error: unknown, code: string): boolean {
  return isObject(error) && 'code' in error && error.code === code;
}

/** Errors of Node itself are not instances of a test environment's Error. */
function isObject(error: unknown): error is object {
  return typeof error === 'object' && error !== null;
}
