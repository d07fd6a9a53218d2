/** The machine lacks something. The message names the fault and ends with `hint`: what to do. */
export class SetupError extends Error {
  override name = 'SetupError';
  readonly hint: string;

  constructor(problem: string, hint = '') {
    super(hint === '' ? problem : `${problem} ${hint}`);
    this.hint = hint;
  }
}

export function messageOf(error: unknown): string {
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
