/** Whether an error is the reason with which `AbortSignal.timeout` aborts. */
export function isTimeoutError(error: unknown): boolean {
  return error instanceof DOMException && error.code === DOMException.TIMEOUT_ERR;
}
