import { stringify } from 'yaml';
import type { GeneratedFile } from '../generated-file.ts';
import { ruleGroups } from './rule-groups.ts';

const notice = '# Written by `npm run generate` from deploy/observability: edit that.\n';
const format = { lineWidth: 0 };

/** The rules as Prometheus reads them. */
export function ruleFiles(): GeneratedFile[] {
  return [
    {
      path: 'deploy/compose/rules/game-item-inventory.yaml',
      content: notice + stringify({ groups: ruleGroups }, format),
    },
  ];
}
