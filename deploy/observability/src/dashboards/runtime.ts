import {
  areas,
  chosenServices,
  type DashboardPlan,
  lines,
  quantileOf,
  rateOf,
} from './dashboard-plan.ts';

/** Volumes of Kafka and MongoDB, as the kubelet reports them. */
const claims = '{persistentvolumeclaim=~".*(kafka|mongo).*"}';
const claimFree = `min by (namespace, persistentvolumeclaim) (kubelet_volume_stats_available_bytes${claims} / kubelet_volume_stats_capacity_bytes${claims})`;
/** Disks of machines, as the node exporter reports them: logs are there. */
const disks = '{fstype=~"ext[234]|xfs|btrfs|zfs"}';
const diskFree = `min by (instance, mountpoint) (node_filesystem_avail_bytes${disks} / node_filesystem_size_bytes${disks})`;

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
        lines('Replicas up', 'short', 'Answer when they are asked for metrics.', {
          '{{service}}': `sum by (service) (up{${chosenServices}})`,
        }),
        lines(
          'Replicas ready',
          'short',
          'In their Service: joined, not stopping, with a store that answers.',
          { '{{service}}': `sum by (service) (inventory_ready{${chosenServices}})` },
        ),
        lines(
          'Replicas degraded',
          'short',
          'Ready, but without the messages that a part of the requests needs.',
          { '{{service}}': `sum by (service) (inventory_degraded{${chosenServices}})` },
        ),
        lines(
          'Processor time',
          'short',
          'Cores used; a process of ours cannot use much more than one.',
          { [replica]: rateOf('process_cpu_time_total', 'service, instance', chosenServices) },
        ),
        lines('Memory', 'bytes', 'Resident, as the limit of a container counts it.', {
          [replica]: ofReplica('process_memory_usage'),
        }),
        lines(
          'Disk used',
          'percentunit',
          'Of the volumes of Kafka and MongoDB by the kubelet, and of disks by the node exporter.',
          {
            '{{persistentvolumeclaim}}': `1 - ${claimFree}`,
            '{{instance}} {{mountpoint}}': `1 - ${diskFree}`,
          },
          { failAt: 0.9 },
        ),
        lines(
          'Log lines dropped',
          'ops',
          'Standard output accepted none: a full disk, or a log that is not read.',
          {
            [replica]: rateOf(
              'inventory_log_lines_dropped_total',
              'service, instance',
              chosenServices,
            ),
          },
        ),
      ],
    },
    {
      title: 'Event loop',
      panels: [
        lines(
          'Busy',
          'percentunit',
          'Share of time that the event loop had work. Above 85 % for long: add replicas.',
          { [replica]: ofReplica('nodejs_eventloop_utilization') },
          { warnAt: 0.85 },
        ),
        lines(
          'Delay (p99)',
          's',
          'How late timers run, and so everything else; 50 ms of it is the time between two looks.',
          { [replica]: ofReplica('nodejs_eventloop_delay_p99') },
          { failAt: 0.5 },
        ),
        lines(
          'Time in garbage collection',
          'percentunit',
          'Share of time, by kind of collection.',
          {
            '{{service}} {{v8js_gc_type}}': rateOf(
              'v8js_gc_duration_sum',
              'service, v8js_gc_type',
              chosenServices,
            ),
          },
        ),
        lines('Heap used', 'bytes', 'By replica; a line that only rises is a leak.', {
          [replica]: `sum by (service, instance) (v8js_memory_heap_used{${chosenServices}})`,
        }),
      ],
    },
    {
      title: 'Requests and messages',
      panels: [
        lines('HTTP requests', 'reqps', 'By service and which of its doors.', {
          '{{service}} {{inventory_api}}': rateOf(
            'http_server_request_duration_count',
            'service, inventory_api',
            chosenServices,
          ),
        }),
        areas('Failed HTTP requests', 'reqps', 'Answers of 5xx, by route.', {
          '{{service}} {{http_route}}': rateOf(
            'http_server_request_duration_count',
            'service, http_route',
            `${chosenServices}, http_response_status_code=~"5.."`,
          ),
        }),
        lines('Time of internal requests (p99)', 's', 'What the services ask each other.', {
          '{{service}} {{http_route}}': quantileOf(
            0.99,
            'http_server_request_duration',
            'service, http_route',
            `${chosenServices}, inventory_api="internal"`,
          ),
        }),
        areas('Messages sent', 'ops', 'By service and topic.', {
          '{{service}}: {{messaging_destination_name}}': rateOf(
            'messaging_client_sent_messages_total',
            'service, messaging_destination_name',
            chosenServices,
          ),
        }),
        areas('Messages read', 'ops', 'By service and topic.', {
          '{{service}}: {{messaging_destination_name}}': rateOf(
            'messaging_client_consumed_messages_total',
            'service, messaging_destination_name',
            chosenServices,
          ),
        }),
        lines(
          'Time until Kafka has a message (p99)',
          's',
          'From the send until it is acknowledged, by batch.',
          {
            '{{service}}': quantileOf(
              0.99,
              'messaging_client_operation_duration',
              'service',
              chosenServices,
            ),
          },
        ),
      ],
    },
    {
      title: 'Periodic jobs',
      panels: [
        areas(
          'Failed jobs',
          'ops',
          'By job. Some are normal while Kafka or MongoDB is unavailable.',
          {
            '{{service}}: {{job_name}}': rateOf(
              'inventory_job_failures_total',
              'service, job_name',
              chosenServices,
            ),
          },
        ),
        lines(
          'Age of the last successful run',
          's',
          'By job; pruning pauses up to an hour, everything else seconds.',
          {
            '{{service}}: {{job_name}}': `max by (service, job_name) (inventory_job_run_age{${chosenServices}})`,
          },
        ),
        areas(
          'Pruned',
          'ops',
          'What the revision-store deleted because nothing can need it any more.',
          { '{{kind}}': rateOf('inventory_pruned_total', 'kind') },
        ),
      ],
    },
  ],
};
