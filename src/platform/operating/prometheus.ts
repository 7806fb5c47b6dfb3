/** The metric types of `prom-client`; `prom-client.d.ts` says why they are imported one by one. */
export { default as Counter } from 'prom-client/lib/counter.js'
export { default as Gauge } from 'prom-client/lib/gauge.js'
export { default as Registry } from 'prom-client/lib/registry.js'
