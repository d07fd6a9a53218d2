/**
 * Number of runs of a property: `perCommit` in `npm test`, or PROPERTY_RUNS where it is set, as in
 * `npm run test:long`.
 */
export function propertyRuns(perCommit: number): number {
  return Number(process.env['PROPERTY_RUNS'] ?? perCommit);
}
