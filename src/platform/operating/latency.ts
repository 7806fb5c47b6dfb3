/**
 * Response times: a Prometheus histogram by route template, method and status class. Series are found by identity and their
 * buckets are plain counters, so an observation costs well under a microsecond. A stream is measured up to its headers.
 * Source: contract 9, "/metrics".
 */
import type { Metric, MetricValue, Registry } from 'prom-client'

const name = 'troupe_http_request_duration_seconds'
const help = 'Time from the start of a request to its response, by route template, method and status class.'
const upperBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const

interface Series {
  labels: Record<'route' | 'method' | 'status', string>
  /** The first digit of the status. */
  statusClass: number
  /** Observations by bucket; the last one has no upper bound. */
  counts: number[]
  sum: number
}

export class HttpLatency {
  readonly #routes = new Map<string, Series[]>()

  /** Adds the histogram to a registry. */
  register(registry: Registry): void {
    // the part of a metric that a registry reads; the rest of the type is for writers
    const metric = { name, get: async () => ({ help, name, type: 'histogram', values: this.#collect() }) }
    registry.registerMetric(metric as unknown as Metric)
  }

  /** Counts one response; `route` is the path template. */
  observe(route: string, method: string, status: number, seconds: number): void {
    const series = this.#series(route, method, Math.floor(status / 100))
    let bucket = 0
    while (bucket < upperBounds.length && seconds > upperBounds[bucket]!) bucket++
    series.counts[bucket]!++
    series.sum += seconds
  }

  #series(route: string, method: string, statusClass: number): Series {
    const known = this.#routes.get(route)
    if (known) {
      for (const series of known) {
        if (series.statusClass === statusClass && series.labels.method === method) return series
      }
    }
    const labels = { route, method, status: `${statusClass}xx` }
    const series = { labels, statusClass, counts: new Array<number>(upperBounds.length + 1).fill(0), sum: 0 }
    this.#routes.set(route, [...(known ?? []), series])
    return series
  }

  #collect() {
    const values: (MetricValue<string> & { metricName: string })[] = []
    for (const { labels, counts, sum } of [...this.#routes.values()].flat()) {
      let count = 0
      for (const [index, le] of [...upperBounds, '+Inf'].entries()) {
        count += counts[index]!
        values.push({ metricName: `${name}_bucket`, labels: { ...labels, le }, value: count })
      }
      values.push({ metricName: `${name}_sum`, labels, value: sum })
      values.push({ metricName: `${name}_count`, labels, value: count })
    }
    return values
  }
}
