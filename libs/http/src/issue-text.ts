import type { z } from 'zod';

const typeTexts: Readonly<Record<string, string>> = {
  string: 'must be text',
  int: 'must be a whole number',
  number: 'must be a number',
  boolean: 'must be true or false',
  object: 'must be an object',
  array: 'must be a list',
};
const formatTexts: Readonly<Record<string, string>> = {
  date: 'must be a day as YYYY-MM-DD',
};
const units: Readonly<Record<string, string>> = { string: ' characters', array: ' items' };

/** The reason of an issue whose schema has no text of its own. */
export function issueText(issue: z.core.$ZodRawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return typeTexts[issue.expected] ?? 'has another type than is allowed';
    case 'invalid_value':
      return issue.values.length === 1
        ? `must be ${String(issue.values[0])}`
        : `must be one of: ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return `must ${verbOf(issue.origin)} at least ${issue.minimum}${units[issue.origin] ?? ''}`;
    case 'too_big':
      return `must ${verbOf(issue.origin)} at most ${issue.maximum}${units[issue.origin] ?? ''}`;
    case 'invalid_format':
      return formatTexts[issue.format] ?? 'does not have the required form';
    default:
      return 'is not valid';
  }
}

function verbOf(origin: string): string {
  return origin in units ? 'have' : 'be';
}
