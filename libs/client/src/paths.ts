import type { Scope } from './records.ts';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Paths of the interface. Their parameters are validated, because a wrong id could result in the path
 * of another route.
 */
export function inventoryPath(scope: Scope): string {
  const { platform_id, app_id, context_id } = checkedScope(scope);
  return `/v2/platform/users/${platform_id}/inventory/${app_id}/${context_id}`;
}

export function checkedScope({ platform_id, app_id, context_id }: Scope): Scope {
  if (!/^[0-9]{17}$/.test(platform_id)) throw new TypeError('platform_id must be 17 digits.');
  if (!isCount(app_id)) throw new TypeError('app_id must be a positive whole number.');
  if (!isCount(context_id)) throw new TypeError('context_id must be a positive whole number.');
  return { platform_id, app_id, context_id };
}

export const batchPath = '/v2/platform/inventory-refreshes/batch';

export function refreshPath(refreshId: string): string {
  if (!uuid.test(refreshId)) throw new TypeError('The id of a refresh must be a UUID.');
  return `/v2/platform/inventory-refreshes/${refreshId}`;
}

export function refreshesPath(projectId: string): string {
  return `${projectPath(projectId)}/inventory-refreshes`;
}

export function eventsPath(projectId: string): string {
  return `${projectPath(projectId)}/events`;
}

function projectPath(projectId: string): string {
  const isProject = projectId.startsWith('prj_') && uuid.test(projectId.slice('prj_'.length));
  if (!isProject) throw new TypeError('The id of a Project must be prj_ and a UUID.');
  return `/v2/projects/${projectId}`;
}

type Parameter = string | number | readonly string[] | null | undefined;

/** Defined parameters; one with several values is repeated. */
export function withQuery(path: string, parameters: Readonly<Record<string, Parameter>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of [value ?? []].flat()) query.append(name, String(one));
  }
  return query.size === 0 ? path : `${path}?${query}`;
}

/** Validates a key before it becomes a header. */
export function checkedKey(key: string): string {
  if (!/^[\x21-\x7e]([\x20-\x7e]{0,253}[\x21-\x7e])?$/.test(key)) {
    throw new TypeError('An idempotency key must be 1 to 255 printable ASCII characters.');
  }
  return key;
}

/** Whether a value has the form of a cursor; it becomes a header. */
export function isCursor(cursor: unknown): cursor is string {
  return typeof cursor === 'string' && /^[\x21-\x7e]{1,256}$/.test(cursor);
}

function isCount(value: number): boolean {
  return Number.isSafeInteger(value) && value > 0;
}
