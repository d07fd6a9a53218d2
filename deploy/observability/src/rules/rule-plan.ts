import { runbooksUrl } from './runbooks-url.ts';

/** Prometheus' own form of rule files, typed; written as they are. */
export interface RuleGroup {
  readonly name: string;
  readonly interval?: string;
  readonly rules: readonly (RecordingRule | AlertRule)[];
}

export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly keep_firing_for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: {
    readonly summary: string;
    readonly description: string;
    /** What a pager shows as a link. */
    readonly runbook_url: string;
  };
}

/**
 * `page`: customers are or will soon be harmed and only a person can end it, at any hour.
 * `ticket`: on a working day.
 */
export type Severity = 'page' | 'ticket';

export interface AlertPlan {
  readonly name: string;
  readonly severity: Severity;
  readonly expr: string;
  /** How long the condition has to hold before the alert fires. */
  readonly for: string;
  /** How long the alert keeps firing after the condition ended, for conditions seen intermittently. */
  readonly keepFiringFor?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly summary: string;
  readonly description: string;
}

export function alertRule(plan: AlertPlan): AlertRule {
  const { name, severity, expr, summary, description } = plan;
  return {
    alert: name,
    expr,
    for: plan.for,
    ...(plan.keepFiringFor ? { keep_firing_for: plan.keepFiringFor } : {}),
    labels: { severity, ...plan.labels },
    annotations: { summary, description, runbook_url: runbookOf(name) },
  };
}

/** `RefreshStuck` is explained in docs/operators/runbooks/refresh-stuck.md. */
function runbookOf(alert: string): string {
  const words = alert.replace(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase();
  return `${runbooksUrl}/${words}.md`;
}
