/** The metric types of `prom-client`; `prom-client.d.ts` says why they are imported one by one. */
import Counter from 'prom-client/lib/counter.js'
import Gauge from 'prom-client/lib/gauge.js'
import Registry from 'prom-client/lib/registry.js'
import { StoreUnavailable } from '../../../storage/errors.ts'

export { Counter, Gauge, Registry }

/** How long a scrape waits for values from the store; Prometheus itself waits for ten seconds, unless it is told. */
const patienceMs = 5_000

/** The metrics as text. Those that the store keeps are left out while it is unavailable. */
async function textOf(registry: Registry): Promise<string> {
  const patience = Promise.withResolvers<undefined>()
  const timer = setTimeout(patience.resolve, patienceMs)
  const reading = registry.getMetricsAsArray().map(({ name }) => {
    const text = registry.getSingleMetricAsString(name).catch((error) => {
      if (!(error instanceof StoreUnavailable)) throw error
    })
    return Promise.race([text, patience.promise])
  })
  try {
    return `${(await Promise.all(reading)).filter((text) => text !== undefined).join('\n\n')}\n`
  } finally {
    clearTimeout(timer)
  }
}

/** `textOf` for scrapes: those at the same time share one text, which takes milliseconds to write. */
export function scrapesOf(registry: Registry): () => Promise<string> {
  let underWay: Promise<string> | undefined
  return () => {
    underWay ??= textOf(registry).finally(() => {
      underWay = undefined
    })
    return underWay
  }
}

/** A gauge whose value is read at each scrape. */
export function readGauge(registry: Registry, name: string, help: string, read: () => number | Promise<number>): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    async collect() {
      this.set(await read())
    },
  })
}

/** A counter whose total is counted elsewhere, and read at each scrape. */
export function readCounter(registry: Registry, name: string, help: string, read: () => number): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset()
      this.inc(read())
    },
  })
}
