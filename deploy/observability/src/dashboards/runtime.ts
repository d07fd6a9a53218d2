import { claimFree, diskFree } from '../rules/promql.ts';
import { chosenServices, type DashboardPlan, quantileOf, rateOf } from './dashboard-plan.ts';

const replica = '{{service}} {{instance}}';
const ofReplica = (series: string) => `${series}{${chosenServices}}`;

export const runtime: DashboardPlan = {
  uid: 'inventory-runtime',
  title: 'Inventory: runtime',
  description:
    'The processes: whether they live, have time and memory, and get their periodic jobs done.',
  byService: true,
  rows: [
    {
      title: 'Replicas',
      panels: [
        {
          title: 'Replicas up',
          description: 'Answer when they are asked for metrics.',
          unit: 'short',
          shows: 'lines',
          queries: [{ expr: `sum by (service) (up{${chosenServices}})`, legend: '{{service}}' }],
        },
        {
          title: 'Replicas ready',
          description: 'In their Service: joined, not stopping, with a store that answers.',
          unit: 'short',
          shows: 'lines',
          queries: [
            {
              expr: `sum by (service) (inventory_ready{${chosenServices}})`,
              legend: '{{service}}',
            },
          ],
        },
        {
          title: 'Replicas degraded',
          description: 'Ready, but without the messages that a part of the requests needs.',
          unit: 'short',
          shows: 'lines',
          queries: [
            {
              expr: `sum by (service) (inventory_degraded{${chosenServices}})`,
              legend: '{{service}}',
            },
          ],
        },
        {
          title: 'Processor time',
          description: 'Cores used; a process of ours cannot use much more than one.',
          unit: 'short',
          shows: 'lines',
          queries: [
            {
              expr: rateOf('process_cpu_time_total', 'service, instance', chosenServices),
              legend: replica,
            },
          ],
        },
        {
          title: 'Memory',
          description: 'Resident, as the limit of a container counts it.',
          unit: 'bytes',
          shows: 'lines',
          queries: [{ expr: ofReplica('process_memory_usage'), legend: replica }],
        },
        {
          title: 'Disk used',
          description:
            'Of the volumes of Kafka and MongoDB by the kubelet, and of disks by the node exporter.',
          unit: 'percentunit',
          shows: 'lines',
          failAt: 0.9,
          queries: [
            { expr: `1 - ${claimFree}`, legend: '{{persistentvolumeclaim}}' },
            { expr: `1 - ${diskFree}`, legend: '{{instance}} {{mountpoint}}' },
          ],
        },
        {
          title: 'Log lines dropped',
          description: 'Standard output accepted none: a full disk, or a log that is not read.',
          unit: 'ops',
          shows: 'lines',
          queries: [
            {
              expr: rateOf(
                'inventory_log_lines_dropped_total',
                'service, instance',
                chosenServices,
              ),
              legend: replica,
            },
          ],
        },
      ],
    },
    {
      title: 'Event loop',
      panels: [
        {
          title: 'Busy',
          description:
            'Share of time that the event loop had work. Above 85 % for long: add replicas.',
          unit: 'percentunit',
          shows: 'lines',
          warnAt: 0.85,
          queries: [{ expr: ofReplica('nodejs_eventloop_utilization'), legend: replica }],
        },
        {
          title: 'Delay (p99)',
          description:
            'How late timers run, and so everything else; 50 ms of it is the time between two looks.',
          unit: 's',
          shows: 'lines',
          failAt: 0.5,
          queries: [{ expr: ofReplica('nodejs_eventloop_delay_p99'), legend: replica }],
        },
        {
          title: 'Time in garbage collection',
          description: 'Share of time, by kind of collection.',
          unit: 'percentunit',
          shows: 'lines',
          queries: [
            {
              expr: rateOf('v8js_gc_duration_sum', 'service, v8js_gc_type', chosenServices),
              legend: '{{service}} {{v8js_gc_type}}',
            },
          ],
        },
        {
          title: 'Heap used',
          description: 'By replica; a line that only rises is a leak.',
          unit: 'bytes',
          shows: 'lines',
          queries: [
            {
              expr: `sum by (service, instance) (v8js_memory_heap_used{${chosenServices}})`,
              legend: replica,
            },
          ],
        },
      ],
    },
    {
      title: 'Requests and messages',
      panels: [
        {
          title: 'HTTP requests',
          description: 'By service and which of its doors.',
          unit: 'reqps',
          shows: 'lines',
          queries: [
            {
              expr: rateOf(
                'http_server_request_duration_count',
                'service, inventory_api',
                chosenServices,
              ),
              legend: '{{service}} {{inventory_api}}',
            },
          ],
        },
        {
          title: 'Failed HTTP requests',
          description: 'Answers of 5xx, by route.',
          unit: 'reqps',
          shows: 'areas',
          queries: [
            {
              expr: rateOf(
                'http_server_request_duration_count',
                'service, http_route',
                `${chosenServices}, http_response_status_code=~"5.."`,
              ),
              legend: '{{service}} {{http_route}}',
            },
          ],
        },
        {
          title: 'Time of internal requests (p99)',
          description: 'What the services ask each other.',
          unit: 's',
          shows: 'lines',
          queries: [
            {
              expr: quantileOf(
                0.99,
                'http_server_request_duration',
                'service, http_route',
                `${chosenServices}, inventory_api="internal"`,
              ),
              legend: '{{service}} {{http_route}}',
            },
          ],
        },
        {
          title: 'Messages sent',
          description: 'By service and topic.',
          unit: 'ops',
          shows: 'areas',
          queries: [
            {
              expr: rateOf(
                'messaging_client_sent_messages_total',
                'service, messaging_destination_name',
                chosenServices,
              ),
              legend: '{{service}}: {{messaging_destination_name}}',
            },
          ],
        },
        {
          title: 'Messages read',
          description: 'By service and topic.',
          unit: 'ops',
          shows: 'areas',
          queries: [
            {
              expr: rateOf(
                'messaging_client_consumed_messages_total',
                'service, messaging_destination_name',
                chosenServices,
              ),
              legend: '{{service}}: {{messaging_destination_name}}',
            },
          ],
        },
        {
          title: 'Time until Kafka has a message (p99)',
          description: 'From the send until it is acknowledged, by batch.',
          unit: 's',
          shows: 'lines',
          queries: [
            {
              expr: quantileOf(
                0.99,
                'messaging_client_operation_duration',
                'service',
                chosenServices,
              ),
              legend: '{{service}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Periodic jobs',
      panels: [
        {
          title: 'Failed jobs',
          description: 'By job. Some are normal while Kafka or MongoDB is unavailable.',
          unit: 'ops',
          shows: 'areas',
          queries: [
            {
              expr: rateOf('inventory_job_failures_total', 'service, job_name', chosenServices),
              legend: '{{service}}: {{job_name}}',
            },
          ],
        },
        {
          title: 'Age of the last successful run',
          description: 'By job; pruning pauses up to an hour, everything else seconds.',
          unit: 's',
          shows: 'lines',
          queries: [
            {
              expr: `max by (service, job_name) (inventory_job_run_age{${chosenServices}})`,
              legend: '{{service}}: {{job_name}}',
            },
          ],
        },
        {
          title: 'Pruned',
          description: 'What the revision-store deleted because nothing can need it any more.',
          unit: 'ops',
          shows: 'areas',
          queries: [{ expr: rateOf('inventory_pruned_total', 'kind'), legend: '{{kind}}' }],
        },
      ],
    },
  ],
};
