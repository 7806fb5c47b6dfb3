/**
 * Parts of prom-client that the package declares no types for. The package as a whole also loads what nobody here uses, a
 * push gateway and clusters: thirty milliseconds of each start.
 */
declare module 'prom-client/lib/counter.js' {
  export { Counter as default } from 'prom-client'
}
declare module 'prom-client/lib/gauge.js' {
  export { Gauge as default } from 'prom-client'
}
declare module 'prom-client/lib/registry.js' {
  export { Registry as default } from 'prom-client'
}
/** The collectors that `collectDefaultMetrics` is made of. */
declare module 'prom-client/lib/metrics/*.js' {
  import type { Registry } from 'prom-client'

  const collect: (registry: Registry, options: { prefix: string; eventLoopMonitoringPrecision?: number }) => void
  export default collect
}
