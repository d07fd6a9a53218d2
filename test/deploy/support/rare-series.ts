/**
 * What is counted only when something goes wrong that a test cannot let happen to a running product in
 * passing, or by chance, with labels as the services give them. Queries for it are tried on planted series.
 */
export const rareSeries: readonly string[] = [
  'inventory_dead_letters_total{service="gateway",messaging_destination_name="replies.v1",reason="contract"}',
  'inventory_gateway_captures_ended_total{reason="deadline"}',
  'inventory_gateway_pages_given_away_total{service="gateway"}',
  'inventory_gateway_reversals_total{result="applied"}',
  'inventory_ledger_repetitions_total{service="billing-ledger"}',
  'inventory_job_failures_total{service="gateway",job_name="captures"}',
];

export const rareMetrics = rareSeries.map((series) => series.split('{')[0] ?? '');
