import type { Scope } from '@inventory/client/records';
import { findAccess, openClient } from './access.ts';
import { type CliProcess, type ExitCode, Interrupted } from './cli-process.ts';
import { exitCodeOf, reportOf, reportText } from './error-report.ts';
import { createPrinter, type Printer } from './printer.ts';

/** Options of every command that calls the service. */
export interface CallFlags {
  readonly json?: boolean;
  readonly timeout?: number;
}

export interface InventoryFlags extends CallFlags {
  readonly app: number;
  readonly context: number;
  readonly language?: string;
}

const timeoutDefaultSeconds = 30;

export type Session = ReturnType<typeof openSession>;
export type EndWith = (exitCode: ExitCode) => void;

/** What a command works with; it sets its exit code by `endWith`. */
export function openSession(cli: CliProcess, options: CallFlags, endWith: EndWith) {
  const access = findAccess(cli);
  const { baseUrl } = access;
  const printer = createPrinter(cli, options.json === true);
  return { cli, client: openClient(access), baseUrl, printer, endWith, call: callOf(cli, options) };
}

/** Options of each call of the client. */
export function callOf({ signal }: CliProcess, { timeout = timeoutDefaultSeconds }: CallFlags) {
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

export function inventoryScope(platform_id: string, { app, context }: InventoryFlags): Scope {
  return { platform_id, app_id: app, context_id: context };
}

export function scopeText({ platform_id, app_id, context_id }: Scope): string {
  return `${platform_id}/${app_id}/${context_id}`;
}

/** The parts that are there, as columns of a line. */
export function cells(...parts: readonly (string | number | null | undefined)[]): string {
  return parts.filter((part) => part !== null && part !== undefined && part !== '').join('  ');
}
