import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export interface SeenResponse {
  readonly method: string;
  /** As it was asked for, query included. */
  readonly path: string;
  readonly status: number;
  readonly contentType: string | undefined;
  readonly text: string;
}

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<
    Record<string, { readonly content: Readonly<Record<string, { readonly schema: object }>> }>
  >;
}
type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

/** Codes that are answered before a request has an operation. */
const ofTheFrame = ['route_not_found', 'method_not_allowed', 'operator_token_required'];

/**
 * Makes a check that throws when an answer differs from the document of its operation:
 * status, media type, and body to the last field.
 */
export function responseContract(openApi: object): (response: SeenResponse) => void {
  const document = strict(openApi) as { readonly paths: Paths };
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'document');
  const validators = new Map<object, ValidateFunction>();

  function validatorOf(schema: object): ValidateFunction {
    const known = validators.get(schema);
    if (known) return known;
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    const compiled = ajv.compile(JSON.parse(text));
    validators.set(schema, compiled);
    return compiled;
  }

  return (response) => {
    const { method, path, status, text } = response;
    const type = response.contentType?.split(';')[0] ?? 'none';
    const operations = operationsAt(document.paths, path);
    const operation = operations?.[method.toLowerCase()];
    // Version 1 writes the router's refusal in its own dialects.
    if (operations && operation === undefined && status === 405) return;
    if (operation === undefined && ofTheFrame.includes(codeOf(text))) return;
    if (operation === undefined) throw undocumented(response, 'no such operation');
    const documented = operation.responses[String(status)];
    if (documented === undefined)
      throw undocumented(response, `${operation.operationId} never does`);
    const media = documented.content[type];
    if (media === undefined)
      throw undocumented(response, `${operation.operationId} is never ${type}`);
    if (type !== 'application/json') return;
    const isValid = validatorOf(media.schema);
    if (!isValid(JSON.parse(text))) {
      throw undocumented(response, `${operation.operationId}: ${ajv.errorsText(isValid.errors)}`);
    }
  };
}

function undocumented({ method, path, status, text }: SeenResponse, problem: string): Error {
  const shown = text.slice(0, 500);
  return new Error(`not documented: ${method} ${path} answered ${status} (${problem}): ${shown}`);
}

function codeOf(text: string): string {
  return /"code":"([a-z_]+)"/.exec(text.slice(0, 200))?.[1] ?? '';
}

/** The operations of the most exact template, by method. */
function operationsAt(paths: Paths, path: string): Readonly<Record<string, Operation>> | undefined {
  // Version 1 accepts a slash after its paths.
  const segments = (path.split('?')[0] ?? '').replace(/^((\/api)?\/v1\/.+)\/$/, '$1').split('/');
  const [found] = Object.entries(paths)
    .filter(([template]) => matches(template.split('/'), segments))
    .toSorted(([left], [right]) => wildness(left) - wildness(right));
  return found?.[1];
}

function matches(template: readonly string[], segments: readonly string[]): boolean {
  return (
    template.length === segments.length &&
    template.every((part, index) => part.startsWith('{') || part === segments[index])
  );
}

function wildness(template: string): number {
  return template.split('{').length;
}

/** Clients allow for fields of later versions; a test must notice undocumented ones. */
function strict(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(strict);
  if (typeof part !== 'object' || part === null) return part;
  const copy = Object.fromEntries(Object.entries(part).map(([key, of]) => [key, strict(of)]));
  const isObjectSchema = typeof copy['properties'] === 'object' && copy['type'] === 'object';
  return isObjectSchema && !('additionalProperties' in copy)
    ? { ...copy, additionalProperties: false }
    : copy;
}
