import { secretDigest } from '@inventory/runtime/secret-digest';
import { integer, list, type Parsed, port, SettingsError, text } from '@inventory/runtime/settings';
import { z } from 'zod';
import { defaultOperatorName, type Operator, parseOperator } from './operators.domain.ts';

const operator = z.string().transform((given, context) => {
  const parsed = parseOperator(given);
  if (parsed !== null) return parsed;
  context.addIssue('must be <name>:<role>+<role>:<SHA-256 of the token in hex>');
  return z.NEVER;
});

export const operatorSettings = {
  OPERATOR_HTTP_HOST: text().default('127.0.0.1').describe('Address the operator API binds to'),
  OPERATOR_HTTP_PORT: port().describe('Port of the operator API'),
  OPERATORS: list()
    .pipe(z.array(operator))
    .optional()
    .describe(
      'Operators, comma-separated: `name:role+role:digest`, the SHA-256 of the token in hex; roles ' +
        'are read, support, billing, admin. A name may occur twice while its token is replaced. ' +
        'Required unless OPERATOR_TOKEN is given',
    ),
  OPERATOR_TOKEN: z
    .string()
    .regex(/^[\x21-\x7e]{16,}$/, 'must be at least 16 printable ASCII characters without blanks')
    .optional()
    .describe('Token of one operator with the name default and the role admin'),
  OPERATOR_ATTEMPTS_PER_MINUTE: integer(1, 100_000)
    .prefault('10')
    .describe(
      'Wrong operator tokens of one address (of IPv6 a /64) in a minute; past it they are 429',
    ),
} as const;

export type OperatorConfig = Readonly<ReturnType<typeof operatorConfig>>;

export function operatorConfig(parsed: Parsed<typeof operatorSettings>) {
  return {
    operatorHttp: { host: parsed.OPERATOR_HTTP_HOST, port: parsed.OPERATOR_HTTP_PORT },
    operatorApi: {
      operators: operatorsOf(parsed.OPERATORS, parsed.OPERATOR_TOKEN),
      attemptsPerMinute: parsed.OPERATOR_ATTEMPTS_PER_MINUTE,
    },
  };
}

/** The operators of both settings; a `SettingsError` where there is none. */
function operatorsOf(named: readonly Operator[] = [], token: string | undefined): Operator[] {
  if (token === undefined && named.length === 0) {
    throw new SettingsError(['OPERATORS is required, or OPERATOR_TOKEN']);
  }
  if (token === undefined) return [...named];
  const tokenDigest = secretDigest(token);
  return [...named, { name: defaultOperatorName, roles: ['admin'], tokenDigest }];
}
