/** The workers and the queues of an Environment, from counts. Pure. Source: contract 11, "shows who serves which queue". */
import { timestamp } from '../../platform/http/timestamp.ts'
import { nameOf, type SeenWorker } from './present-workers.ts'
import type { Workers } from './schema.ts'

/** The number of calls of a queue that wait, or that a worker has. */
interface CallCount {
  queue: string
  worker: string | null
  count: number
  /** When the oldest of them was made. */
  oldest: number
}

interface Tally {
  workers: number
  waiting: number
  leased: number
  /** When the oldest waiting call was made. */
  oldest: number
}

/** Each list is walked once: an Environment may have thousands of workers, queues and calls. */
export function summaryOf({
  queued,
  leased,
  workers,
}: {
  queued: readonly CallCount[]
  leased: readonly CallCount[]
  workers: readonly SeenWorker[]
}): Workers {
  const tallies = new Map<string, Tally>()
  const of = (queue: string): Tally => {
    const tally = tallies.get(queue) ?? { workers: 0, waiting: 0, leased: 0, oldest: Number.POSITIVE_INFINITY }
    tallies.set(queue, tally)
    return tally
  }
  for (const { queue, count, oldest } of queued) {
    const tally = of(queue)
    tally.waiting += Number(count)
    tally.oldest = Math.min(tally.oldest, Number(oldest))
  }
  const leasedBy = new Map<string, number>()
  for (const { queue, worker, count } of leased) {
    of(queue).leased += Number(count)
    leasedBy.set(nameOf(queue, worker ?? ''), Number(count))
  }
  for (const { queue } of workers) of(queue).workers += 1
  return {
    queues: [...tallies.keys()].sort().map((queue) => {
      const { oldest, ...counts } = of(queue)
      return { queue, ...counts, oldestWaitingSince: counts.waiting === 0 ? null : timestamp(oldest) }
    }),
    workers: workers.map(({ workerId, queue, operations, slots, lastSeenAt }) => ({
      workerId,
      queue,
      operations: operations && [...operations],
      slots,
      leased: leasedBy.get(nameOf(queue, workerId)) ?? 0,
      lastSeenAt: timestamp(lastSeenAt),
    })),
  }
}
