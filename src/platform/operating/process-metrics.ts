/**
 * Metrics of the process: processor, memory, descriptors, event loop. These are the default metrics of prom-client without
 * `heapSpacesSizeAndUsed` and its kin, which on Bun walk the whole heap and block the event loop (150 ms with three million
 * objects).
 */
import type { Registry } from 'prom-client'
import eventLoopLag from 'prom-client/lib/metrics/eventLoopLag.js'
import heapSizeAndUsed from 'prom-client/lib/metrics/heapSizeAndUsed.js'
import osMemoryHeap from 'prom-client/lib/metrics/osMemoryHeap.js'
import processCpuTotal from 'prom-client/lib/metrics/processCpuTotal.js'
import processMaxFileDescriptors from 'prom-client/lib/metrics/processMaxFileDescriptors.js'
import processOpenFileDescriptors from 'prom-client/lib/metrics/processOpenFileDescriptors.js'
import processStartTime from 'prom-client/lib/metrics/processStartTime.js'

const collectors = [
  processCpuTotal,
  processStartTime,
  osMemoryHeap,
  processOpenFileDescriptors,
  processMaxFileDescriptors,
  eventLoopLag,
  heapSizeAndUsed,
]

export function registerProcessMetrics(registry: Registry) {
  for (const collect of collectors) collect(registry, { prefix: 'troupe_', eventLoopMonitoringPrecision: 10 })
}
