/** What metrics are made of. Types come from `prom-client` itself; why its parts are named: `prom-client.d.ts`. */
export { default as Counter } from 'prom-client/lib/counter.js'
export { default as Gauge } from 'prom-client/lib/gauge.js'
export { default as Registry } from 'prom-client/lib/registry.js'
