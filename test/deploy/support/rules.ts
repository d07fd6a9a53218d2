import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { root } from '../../tidy/tracked-files.ts';

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: 'page' | 'ticket' };
  readonly annotations: { readonly runbook_url: string };
}

interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

export const rulesFile = join(root, 'deploy/compose/rules/game-item-inventory.yaml');

/** The rules as Prometheus reads them. */
export function readRules(): readonly (AlertRule | RecordingRule)[] {
  const { groups } = parse(readFileSync(rulesFile, 'utf8'));
  return groups.flatMap(({ rules }: { rules: readonly (AlertRule | RecordingRule)[] }) => rules);
}

export function readAlerts(): readonly AlertRule[] {
  return readRules().filter((rule) => 'alert' in rule);
}
