import type { z } from 'zod';

export type ControlAnswer = { readonly status: number; readonly body: unknown };

export function ok(body: unknown): ControlAnswer {
  return { status: 200, body };
}

export function created(body: unknown): ControlAnswer {
  return { status: 201, body };
}

/** 400 with a sentence that names the fault. */
export function refused(sentence: string): ControlAnswer {
  return { status: 400, body: { error: sentence } };
}

export function unknown(sentence: string): ControlAnswer {
  return { status: 404, body: { error: sentence } };
}

/** Runs a knob with its parsed body, or refuses a body that does not fit. */
export function withBody<T>(
  schema: z.ZodType<T>,
  body: unknown,
  run: (value: T) => ControlAnswer,
): ControlAnswer {
  const parsed = schema.safeParse(body);
  if (parsed.success) {
    return run(parsed.data);
  }
  const problems = parsed.error.issues.map((issue) => {
    const where = issue.path.length === 0 ? 'The body' : `"${issue.path.join('.')}"`;
    return `${where} is wrong: ${issue.message}.`;
  });
  return refused(problems.join(' '));
}
