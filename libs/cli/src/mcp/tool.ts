import { randomUUID } from 'node:crypto';
import type { Account, Prices } from '@inventory/client/account-records';
import { InventoryError } from '@inventory/client/errors';
import type { InventoryClient } from '@inventory/client/inventory-client';
import { z } from 'zod';
import { UsageFault } from '../cli-process.ts';

/** What the calls of all tools share. */
export interface ToolContext {
  readonly client: InventoryClient;
  readonly projectId: string;
  /** Directory of exported inventories. */
  readonly exportsPath: string;
  /** Idempotency-Keys of paid calls whose result the host does not have yet, by tool and arguments. */
  readonly openKeys: Map<string, string>;
}

export interface ToolCall {
  readonly deadlineMs: number;
  /** Aborted when the host cancels the call or disconnects. */
  readonly signal: AbortSignal;
}

interface ToolSettings<Input extends z.ZodObject> {
  readonly name: string;
  readonly description: string;
  /** In credits, for the model; a tool without it is free. */
  readonly price?: (prices: Prices) => string;
  /** Required of the Credential; any may use a tool without it. */
  readonly permission?: string;
  readonly input: Input;
  readonly run: (
    context: ToolContext,
    args: z.output<Input>,
    call: ToolCall & { readonly idempotencyKey: string },
  ) => Promise<object>;
  /** Whether the result is the last one of a paid call; always where it is absent. */
  readonly isEnded?: (result: object) => boolean;
}

export type Tool = ReturnType<typeof defineTool>;

/** A tool that refuses arguments which its schema does not have. */
export function defineTool<Input extends z.ZodObject>({ run, ...tool }: ToolSettings<Input>) {
  const { name, input, isEnded = () => true } = tool;
  return {
    ...tool,
    /** Repeated after it was cancelled or cut, a paid call has its key again and is not charged twice. */
    async call(context: ToolContext, given: unknown, call: ToolCall): Promise<object> {
      const { success, data: args, error: refused } = input.safeParse(given);
      if (!success) throw new UsageFault(refused.issues.map(issueText).join('; '));
      const { openKeys } = context;
      const inputs = JSON.stringify([name, args]);
      const idempotencyKey = openKeys.get(inputs) ?? randomUUID();
      openKeys.set(inputs, idempotencyKey);
      try {
        const result = await run(context, args, { ...call, idempotencyKey });
        if (isEnded(result) && !call.signal.aborted) openKeys.delete(inputs);
        return result;
      } catch (error) {
        if (error instanceof InventoryError && !error.retryable) openKeys.delete(inputs);
        throw error;
      }
    },
  };
}

export function textLike(pattern: RegExp, message: string): z.ZodString {
  return z.string().regex(pattern, message);
}

/** Without what was given: it may be anything, a key too. */
function issueText({ code, path, message }: z.core.$ZodIssue): string {
  const isUnknown = code === 'unrecognized_keys';
  return `${path.join('.') || 'arguments'}: ${isUnknown ? 'unknown ones are refused' : message}`;
}

export function isPermitted({ permission }: Tool, account: Account): boolean {
  if (permission === undefined) return true;
  if (permission.startsWith('customer.events.') && !account.events_enabled) return false;
  const { scopes } = account.credential;
  // The wildcard grants the permissions of inventories alone.
  return scopes.some(
    (one) => one === permission || (one === '*' && /^platform\./.test(permission)),
  );
}
