/**
 * The processor time of a server for one operation, with and without a feature: rates do not show this on a busy
 * machine. Linux only: the kernel counts the time of each thread.
 */
import { readdirSync, readFileSync } from 'node:fs'
import type { Plan } from './compare.ts'
import { load, median, type Operation } from './load.ts'
import type { Server } from './server.ts'

/** Microseconds of a thread so far; 0 for one that has ended. */
function threadUs(pid: number, thread: number | string): number {
  try {
    return Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]) / 1_000
  } catch {
    return 0
  }
}

/** Microseconds of a process so far: of all its threads, and of the serving one. */
export const processorUs = (pid: number) => ({
  all: readdirSync(`/proc/${pid}/task`).reduce((sum, thread) => sum + threadUs(pid, thread), 0),
  serving: threadUs(pid, pid),
})

interface Taken {
  /** Microseconds for one operation. */
  all: number
  serving: number
}

/** With against without: the medians of the rounds' ratios, and the median microseconds. */
interface ProcessorTime {
  with: Taken
  without: Taken
  ratio: Taken
}

const warmUpMs = 3_000

/** Loads both alternately, with the order reversed every second time. */
export async function compareProcessorTime(
  { rounds, roundMs, quick }: Plan,
  clients: number,
  servers: { with: Pick<Server, 'pid' | 'port'>; without: Pick<Server, 'pid' | 'port'> },
  operations: { with: Operation; without: Operation },
): Promise<ProcessorTime> {
  const measure = async (side: 'with' | 'without', durationMs: number): Promise<Taken> => {
    const { pid, port } = servers[side]
    const before = processorUs(pid)
    const { count } = await load({ port, clients, durationMs }, operations[side])
    const after = processorUs(pid)
    return { all: (after.all - before.all) / count, serving: (after.serving - before.serving) / count }
  }
  const taken: Record<'with' | 'without', Taken[]> = { with: [], without: [] }
  for (const side of ['without', 'with'] as const) await measure(side, quick ? roundMs : warmUpMs)
  // shorter and more rounds, since the load of other programs changes
  for (let round = 0; round < rounds * 3; round += 1) {
    const order = round % 2 === 0 ? (['without', 'with'] as const) : (['with', 'without'] as const)
    for (const side of order) taken[side].push(await measure(side, roundMs / 3))
  }
  const middle = (of: (round: number) => number) => median(taken.with.map((_, round) => of(round)))
  const both = (of: (round: number, part: keyof Taken) => number): Taken => ({
    all: middle((round) => of(round, 'all')),
    serving: middle((round) => of(round, 'serving')),
  })
  const at = (side: 'with' | 'without', round: number, part: keyof Taken) => (taken[side][round] as Taken)[part]
  return {
    with: both((round, part) => at('with', round, part)),
    without: both((round, part) => at('without', round, part)),
    ratio: both((round, part) => at('with', round, part) / at('without', round, part)),
  }
}

/** `748 µs against 702 µs; of all threads 1.09 times` */
export const processorText = ({ with: one, without: other, ratio }: ProcessorTime): string =>
  `${one.serving.toFixed(0)} µs against ${other.serving.toFixed(0)} µs; of all threads ${ratio.all.toFixed(2)} times`
