/** The collectors that `collectDefaultMetrics` of prom-client is made of; the package declares no types for them. */
declare module 'prom-client/lib/metrics/*.js' {
  import type { Registry } from 'prom-client'

  const collect: (registry: Registry, options: { prefix: string; eventLoopMonitoringPrecision?: number }) => void
  export default collect
}
