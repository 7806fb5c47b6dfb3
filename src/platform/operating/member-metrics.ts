/** Metrics of the servers that share a store, as this one sees them. */
import type { Registry } from 'prom-client'
import type { Bus } from '../bus/bus.ts'
import type { Members } from '../members/members.ts'
import { Gauge, readGauge } from './prometheus.ts'

interface MemberMetricsParts {
  members: Pick<Members, 'id' | 'living' | 'slots' | 'skewMs'>
  bus: Pick<Bus, 'isHearing'>
}

export function registerMemberMetrics(registry: Registry, { members, bus }: MemberMetricsParts, version: string) {
  new Gauge({
    name: 'troupe_process_info',
    help: 'Which process this is: always 1.',
    labelNames: ['process', 'version'],
    registers: [registry],
  }).set({ process: members.id, version }, 1)
  readGauge(registry, 'troupe_processes', 'Servers that share the store, this one included.', () => members.living.size)
  readGauge(
    registry,
    'troupe_slots',
    'Slots whose background work is done here; 64 over all servers.',
    () => members.slots.length,
  )
  readGauge(
    registry,
    'troupe_clock_skew_seconds',
    "How far the clock is ahead of the store's; more than 1 is too far.",
    () => members.skewMs / 1_000,
  )
  readGauge(registry, 'troupe_bus_hearing', 'Whether the other servers are heard over Redis.', () =>
    Number(bus.isHearing()),
  )
}
