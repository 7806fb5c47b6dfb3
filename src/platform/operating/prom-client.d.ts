/**
 * Parts of prom-client without type declarations. The whole package also loads a push gateway and clusters, unused here,
 * which costs thirty milliseconds at each start.
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
/** The collectors of `collectDefaultMetrics`. */
declare module 'prom-client/lib/metrics/*.js' {
  import type { Registry } from 'prom-client'

  const collect: (registry: Registry, options: { prefix: string; eventLoopMonitoringPrecision?: number }) => void
  export default collect
}
