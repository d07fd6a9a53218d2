import type { InventoryClient } from '@inventory/client/inventory-client';
import type { Scope } from '@inventory/client/records';
import { findAccess, openClient } from './access.ts';
import { type CliProcess, type ExitCode, Interrupted } from './cli-process.ts';
import { exitCodeOf, reportOf, reportText } from './error-report.ts';
import { createPrinter, type Printer } from './printer.ts';

/** Options of every command that calls the service. */
export interface CallOptions {
  readonly json?: boolean;
  readonly timeout?: number;
}

export interface InventoryOptions extends CallOptions {
  readonly app: number;
  readonly context: number;
  readonly language?: string;
}

/** What a command works with. */
export interface Session {
  readonly cli: CliProcess;
  readonly client: InventoryClient;
  readonly baseUrl: string;
  readonly printer: Printer;
  /** Sets the exit code of the program. */
  readonly endWith: (exitCode: ExitCode) => void;
  /** Options of each call of the client. */
  readonly call: { readonly deadlineMs: number; readonly signal: AbortSignal };
}

const timeoutDefaultSeconds = 30;

export function openSession(
  cli: CliProcess,
  options: CallOptions,
  endWith: Session['endWith'],
): Session {
  const access = findAccess(cli);
  return {
    cli,
    endWith,
    client: openClient(access),
    baseUrl: access.baseUrl,
    printer: createPrinter(cli, options.json === true),
    call: callOf(cli, options),
  };
}

export function callOf({ signal }: CliProcess, { timeout = timeoutDefaultSeconds }: CallOptions) {
  return { deadlineMs: timeout * 1_000, signal };
}

/** Reports the error, of an inventory where there are several; returns its exit code. */
export function fail(printer: Printer, error: unknown, scope?: Scope): ExitCode {
  const report = reportOf(error);
  const place = scope === undefined ? '' : `${scopeText(scope)}: `;
  // Who interrupts a program knows it; the line of the progress ends.
  if (error instanceof Interrupted) printer.clear();
  else printer.note(`${place}${reportText(report)}`, { error: report, ...(scope && { scope }) });
  return exitCodeOf(error);
}

/** The Project of the key. */
export async function projectOf({ client, call }: Session): Promise<string> {
  return (await client.account(call)).credential.project_id;
}

export function scopeOf(platform_id: string, { app, context }: InventoryOptions): Scope {
  return { platform_id, app_id: app, context_id: context };
}

export function scopeText({ platform_id, app_id, context_id }: Scope): string {
  return `${platform_id}/${app_id}/${context_id}`;
}

/** The parts that are there, as columns of a line. */
export function cells(...parts: readonly (string | number | null | undefined)[]): string {
  return parts.filter((part) => part !== null && part !== undefined && part !== '').join('  ');
}
