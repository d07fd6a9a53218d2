import type { RequestIssue } from '@inventory/contracts/http/meta';
import { Refused } from '@inventory/http/refused';
import type { Context } from 'koa';
import type { z } from 'zod';

/** A part of a request, and the schema it must satisfy. */
type Parts = Readonly<Partial<Record<RequestIssue['in'], z.ZodType>>>;
type Parsed<Given extends Parts> = {
  readonly [Part in keyof Given]: Given[Part] extends z.ZodType ? z.output<Given[Part]> : never;
};

interface RouteSettings<Given extends Parts> {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  /** Below `/operator/v1`. */
  readonly path: string;
  /** What the audit calls a change; absent for reads. */
  readonly action?: string;
  readonly status?: number;
  readonly parts: Given;
  /** Returns the answer's JSON, or undefined when it set the body itself. */
  readonly handle: (parsed: Parsed<Given>, context: Context) => Promise<unknown>;
}

export interface OperatorRoute {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  readonly action: string | undefined;
  readonly status: number;
  /** Throws `invalid_request` with all problems of all parts at once. */
  parse(context: Context): Readonly<Record<string, unknown>>;
  handle(parsed: Readonly<Record<string, unknown>>, context: Context): Promise<unknown>;
}

/** One route: its input is parsed before anything is done. */
export function operatorRoute<Given extends Parts>(settings: RouteSettings<Given>): OperatorRoute {
  const { method, path, action, status = 200, parts, handle } = settings;
  return {
    method,
    path,
    action,
    status,
    parse: (context) => parseParts(parts, context),
    // What `parse` returned is what the schemas of these parts make of it.
    handle: (parsed, context) => handle(parsed as Parsed<Given>, context),
  };
}

function parseParts(parts: Parts, context: Context): Record<string, unknown> {
  const problems: RequestIssue[] = [];
  const parsed: Record<string, unknown> = {};
  for (const [part, schema] of Object.entries(parts) as [RequestIssue['in'], z.ZodType][]) {
    const result = schema.safeParse(rawPart(part, context));
    if (result.success) parsed[part] = result.data;
    else problems.push(...result.error.issues.flatMap((issue) => problemsOf(part, issue)));
  }
  if (problems.length > 0) {
    throw new Refused({ code: 'invalid_request', detail: { issues: problems } });
  }
  return parsed;
}

function rawPart(part: RequestIssue['in'], context: Context): unknown {
  switch (part) {
    case 'path':
      return context['params'];
    case 'query':
      return { ...context.query };
    case 'header':
      return context.headers;
    case 'body':
      return context.request.body;
  }
}

function problemsOf(part: RequestIssue['in'], issue: z.core.$ZodIssue): RequestIssue[] {
  const path = issue.path.map(String);
  if (issue.code !== 'unrecognized_keys') {
    return [{ in: part, field: path.join('.'), reason: issue.message }];
  }
  return issue.keys.map((key) => ({
    in: part,
    field: [...path, key.slice(0, 100)].join('.'),
    reason: 'is not known',
  }));
}
