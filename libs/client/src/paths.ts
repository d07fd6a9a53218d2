import type { Scope } from './records.ts';
import { wireName } from './wire-names.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Paths of the interface. Their parameters are validated, because a wrong id could result in the path
 * of another route.
 */
export function inventoryPath(scope: Scope): string {
  const { platform_id, app_id, context_id } = checkedScope(scope);
  return `/v2/platform/users/${platform_id}/inventory/${app_id}/${context_id}`;
}

export function checkedScope(scope: Scope): Scope {
  const { platform_id, app_id, context_id } = scope ?? {};
  if (!matches(platform_id, /^[0-9]{17}$/)) {
    throw new TypeError('platform_id must be text of 17 digits: a number loses the last ones.');
  }
  if (!isCount(app_id)) throw new TypeError('app_id must be a positive whole number.');
  if (!isCount(context_id)) throw new TypeError('context_id must be a positive whole number.');
  return { platform_id, app_id, context_id };
}

export function checkedRevision(revisionId: string): string {
  if (!matches(revisionId, /^invrev_/) || !matches(revisionId.slice('invrev_'.length), uuid))
    throw new TypeError('The id of a revision must be invrev_ and a UUID.');
  return revisionId;
}

export function refreshPath(refreshId: string): string {
  if (!matches(refreshId, uuid)) throw new TypeError('The id of a refresh must be a UUID.');
  return `/v2/platform/inventory-refreshes/${refreshId}`;
}

export function refreshesPath(projectId: string): string {
  return `${pathToProject(projectId)}/inventory-refreshes`;
}

export function watchesPath(projectId: string): string {
  return `${pathToProject(projectId)}/watches`;
}

export function watchPath(projectId: string, scope: Scope): string {
  const { platform_id, app_id, context_id } = checkedScope(scope);
  return `${watchesPath(projectId)}/${platform_id}/${app_id}/${context_id}`;
}

export function eventsPath(projectId: string): string {
  return `${pathToProject(projectId)}/events`;
}

export function pathToProject(projectId: string): string {
  if (!matches(projectId, /^prj_/) || !matches(projectId.slice('prj_'.length), uuid))
    throw new TypeError('The id of a Project must be prj_ and a UUID.');
  return `/v2/projects/${projectId}`;
}

type Parameter = string | number | readonly string[] | null | undefined;

/** Defined parameters; one with several values is repeated. */
export function withQuery(path: string, parameters: Readonly<Record<string, Parameter>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of [value ?? []].flat()) query.append(wireName(name), String(one));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Validates a key before it becomes a header. */
export function checkedKey(key: string): string {
  if (!matches(key, /^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/)) {
    throw new TypeError('An idempotency key must be 1 to 255 printable ASCII characters.');
  }
  return key;
}

/** Whether a value has the form of a cursor; it becomes a header. */
export function isCursor(cursor: unknown): cursor is string {
  return typeof cursor === 'string' && /^[\x21-\x7e]{1,256}$/.test(cursor);
}

/** A pattern alone would take the text of any other value. */
function matches(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}
