/**
 * The memory of a parked run. The server has no runner, so that every run stays queued; the first runs fill its bounded
 * cache, and the growth after that belongs to the runs. Garbage is collected before each measurement.
 */
import type { Plan } from '../compare.ts'
import { each } from '../load.ts'
import type { Row } from '../report.ts'
import { freshFolder, removeFolder, type Server, startTroupe } from '../server.ts'
import { metric, startBytes, startRun } from '../troupe.ts'

const aimBytes = 1_024
const looks = 5

interface Memory {
  heapBytes: number
  residentBytes: number
}

export async function memory(plan: Plan): Promise<Row[]> {
  const [few, many] = plan.quick ? [1_000, 3_000] : [20_000, 120_000]
  const folder = freshFolder()
  const server = await startTroupe({ folder, settings: { TROUPE_RUNNER: 'none' }, preload: ['collect-on-signal.ts'] })
  await park(server, few)
  const before = await lookAt(server)
  await park(server, many - few)
  const after = await lookAt(server)
  await server.stop()
  removeFolder(folder)
  const perRun = (name: keyof Memory) => (after[name] - before[name]) / (many - few)
  const heap = perRun('heapBytes')
  const span = `${few.toLocaleString('en-US')} to ${many.toLocaleString('en-US')}`
  return [
    {
      what: `memory by parked run, from ${span}`,
      value: `${Math.round(heap)} B of heap, ${Math.round(perRun('residentBytes'))} B resident`,
      aim: `≤ ${aimBytes} B`,
      met: heap <= aimBytes && perRun('residentBytes') <= aimBytes,
    },
  ]
}

const park = (server: Server, count: number) =>
  each(server.port, 64, Array(count).fill(startBytes(server.key, 'Wait for a runner.')), async (connection, bytes) => {
    await startRun(connection, bytes as Uint8Array)
  })

/** The lowest of several measurements, each after a collection. */
async function lookAt(server: Server): Promise<Memory> {
  const least: Memory = { heapBytes: Number.POSITIVE_INFINITY, residentBytes: Number.POSITIVE_INFINITY }
  for (let look = 0; look < looks; look += 1) {
    process.kill(server.pid, 'SIGUSR2')
    await Bun.sleep(500)
    least.heapBytes = Math.min(least.heapBytes, await metric(server, 'troupe_nodejs_heap_size_used_bytes'))
    least.residentBytes = Math.min(least.residentBytes, await metric(server, 'troupe_process_resident_memory_bytes'))
  }
  return least
}
