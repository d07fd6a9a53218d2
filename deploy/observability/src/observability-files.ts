import { dashboardFiles } from './dashboards/dashboard-files.ts';
import type { GeneratedFile } from './generated-file.ts';
import { ruleFiles } from './rules/rule-files.ts';

/** Everything that is written from this package. */
export function observabilityFiles(): GeneratedFile[] {
  return [...dashboardFiles(), ...ruleFiles()];
}
