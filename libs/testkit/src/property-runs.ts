/**
 * How often a property is tried: `perCommit` times by `npm test`, and as often as PROPERTY_RUNS
 * says where that is set, as `npm run test:long` does.
 */
export function propertyRuns(perCommit: number): number {
  return Number(process.env['PROPERTY_RUNS'] ?? perCommit);
}
