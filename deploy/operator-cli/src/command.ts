/** One option of a command. */
export interface Option {
  readonly name: string;
  readonly kind: 'text' | 'number' | 'flag' | 'list';
  /** What stands for its value in the usage. */
  readonly value?: string;
  readonly required?: boolean;
  readonly help: string;
}

/** What was given, by option name. An option that was not given is absent. */
export interface OptionValues {
  text(name: string): string | undefined;
  number(name: string): number | undefined;
  flag(name: string): boolean;
  list(name: string): readonly string[] | undefined;
  /** A required option's value, ready to stand in a path. */
  segment(name: string): string;
}

/** A call of the operator API; `path` is below `/operator/v1`. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly timeoutMs?: number;
}

export interface Command {
  /** Noun and verb, or the one word that is both. */
  readonly words: readonly string[];
  readonly summary: string;
  readonly options: readonly Option[];
  /** Of each group exactly one option must be given. */
  readonly exactlyOne?: readonly (readonly string[])[];
  readonly request: (values: OptionValues) => ApiRequest;
  /** Columns of the human table when the answer is a list. */
  readonly columns?: readonly string[];
  /** Said on standard error after success; the answer itself is on standard output. */
  readonly note?: string;
  /** The answer's field that must be true for exit code 0. */
  readonly mustHold?: string;
}

export const accountOption: Option = {
  name: 'account',
  kind: 'text',
  value: 'acc_…',
  required: true,
  help: 'the account',
};

export const projectOption: Option = {
  name: 'project',
  kind: 'text',
  value: 'prj_…',
  required: true,
  help: 'the Project',
};

export const credentialOption: Option = {
  name: 'credential',
  kind: 'text',
  value: 'cred_…',
  required: true,
  help: 'the Credential',
};

/** Options of every list. */
export const listOptions: readonly Option[] = [
  { name: 'limit', kind: 'number', value: '1-100', help: 'how many at most; 50 when not given' },
  { name: 'cursor', kind: 'text', value: 'cursor', help: 'next_cursor of the part before' },
];

export function listQuery(values: OptionValues): NonNullable<ApiRequest['query']> {
  return { limit: values.number('limit'), cursor: values.text('cursor') };
}

/** The same option where another may stand instead of it. */
export function optional(option: Option): Option {
  const { required: _required, ...rest } = option;
  return rest;
}
