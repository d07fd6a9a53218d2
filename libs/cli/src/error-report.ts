import {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionError,
  CursorExpiredError,
  ExportNotFinishedError,
  InventoryError,
  LimitExceededError,
  NotFoundError,
  PaymentRequiredError,
  PermissionError,
  RefreshNotFinishedError,
} from '@inventory/client/errors';
import { type ExitCode, exitCodes, Interrupted, UsageFault } from './cli-process.ts';

/** An error for its reader: what happened, and what to do. */
interface ErrorReport {
  readonly code: string;
  readonly message: string;
  readonly request_id?: string | null;
  readonly detail?: Readonly<Record<string, unknown>> | null;
  readonly remedy?: string | undefined;
}

const remedies: readonly (readonly [new (...args: never[]) => InventoryError, string])[] = [
  [AuthenticationError, 'Check the key, or store another one with inventory login.'],
  [PermissionError, 'The operator can give the permission; or use another key.'],
  [PaymentRequiredError, 'Wait for open refreshes to end, or top up.'],
  [NotFoundError, 'Check the ids. An inventory has to be refreshed before it is read.'],
  [CursorExpiredError, 'It is no longer kept: read the whole inventory, and continue from there.'],
  [ConflictError, 'Another request needs another --key.'],
  [LimitExceededError, 'Run it again later, with fewer requests at a time.'],
  [ConnectionError, 'Check the address and the network, and run it again.'],
];

export function reportOf(error: unknown): ErrorReport {
  if (error instanceof ApiError) {
    const { code, message, requestId, detail } = error;
    return { code, message, request_id: requestId, detail, remedy: remedyOf(error) };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof InventoryError) {
    return { code: error.name, message, remedy: remedyOf(error) };
  }
  return { code: isUsage(error) ? 'usage' : 'failed', message };
}

export function exitCodeOf(error: unknown): ExitCode {
  if (error instanceof Interrupted) return error.exitCode;
  if (isUsage(error)) return exitCodes.usage;
  const isUnfinished =
    error instanceof ConnectionError ||
    error instanceof RefreshNotFinishedError ||
    error instanceof ExportNotFinishedError;
  return isUnfinished ? exitCodes.unfinished : exitCodes.refused;
}

const detailLinesMax = 20;
const detailCharsMax = 300;

export function reportText({ code, message, request_id, detail, remedy }: ErrorReport): string {
  const { issues = [], ...fields } = detail ?? {};
  const problems = [issues].flat().map((issue) => Object.values(Object(issue)).join(' '));
  const lines = [
    ...problems.map((problem) => `  ${problem}`),
    ...Object.entries(fields).map(([name, value]) => `  ${name}: ${JSON.stringify(value)}`),
  ];
  return [
    `${code}: ${message}`,
    ...lines.slice(0, detailLinesMax).map((line) => line.slice(0, detailCharsMax)),
    ...(request_id ? [`  request_id: ${request_id}`] : []),
    ...(remedy === undefined ? [] : [`  ${remedy}`]),
  ].join('\n');
}

/** The client throws TypeErrors for arguments, before it sends anything. */
function isUsage(error: unknown): boolean {
  return error instanceof UsageFault || error instanceof TypeError;
}

function remedyOf(error: InventoryError): string | undefined {
  const remedy = remedies.find(([family]) => error instanceof family)?.[1];
  return remedy ?? (error.retryable ? 'Run it again later.' : undefined);
}
