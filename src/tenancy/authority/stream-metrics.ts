/** Metrics of open streams. */
import type { Registry } from 'prom-client'
import { Gauge } from '../../platform/operating/prometheus.ts'
import type { OpenStreams } from './open-streams.ts'

export function registerStreamMetrics(registry: Registry, streams: Pick<OpenStreams, 'statistics'>): void {
  new Gauge({
    name: 'troupe_open_streams',
    help: 'Open event streams.',
    registers: [registry],
    collect() {
      this.set(streams.statistics.streams)
    },
  })
}
