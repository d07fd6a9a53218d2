/** Parameters of links, by where their values are in an exchange. */

/** The Project of the request. */
export const sameProject = { project_id: '$request.path.project_id' };

/** The inventory of the request. */
export const sameScope = {
  platform_id: '$request.path.platform_id',
  app_id: '$request.path.app_id',
  context_id: '$request.path.context_id',
};

/** The next part of a list, as `parameter`. */
export function nextPart(parameter = 'cursor') {
  return { [parameter]: '$response.body#/data/pagination/next_cursor' };
}

/** The inventory of the refresh at this pointer of the response. */
export function scopeOf(pointer: string) {
  return {
    platform_id: `$response.body#${pointer}/scope/platform_id`,
    app_id: `$response.body#${pointer}/scope/app_id`,
    context_id: `$response.body#${pointer}/scope/context_id`,
  };
}

/** What changed in the inventory since the revision at this pointer of the response. */
export function sinceRevision(pointer: string) {
  return { since: `$response.body#${pointer}/revision_id` };
}

/** What continues from the refresh at this pointer of the response. */
export function refreshLinks(pointer: string) {
  const refresh = { refresh_id: `$response.body#${pointer}/refresh_id` };
  const scope = scopeOf(pointer);
  return {
    readRefresh: refresh,
    cancelRefresh: refresh,
    readSummary: scope,
    readCurrent: scope,
    readChanges: { ...scope, ...sinceRevision(pointer) },
    readLivePage: scope,
  };
}
