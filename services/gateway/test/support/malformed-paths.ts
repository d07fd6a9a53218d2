/** Of the account's own inventory that everything else is right about. */
export function pathsOf(platformId: string) {
  const inventory = `/v2/platform/users/${platformId}/inventory/730/2`;
  return { current: `${inventory}/current`, refresh: `${inventory}/refresh` };
}
