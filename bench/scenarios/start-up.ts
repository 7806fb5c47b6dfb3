/** From the start of the process to its first answer: with a fresh store, with a used one, and with a million runs. */
import type { Plan } from '../compare.ts'
import { median, percentiles } from '../load.ts'
import type { Row } from '../report.ts'
import { storeOf } from '../seed.ts'
import { freshFolder, removeFolder, startTroupe } from '../server.ts'

const aimMs = 500

export async function startUp(plan: Plan): Promise<Row[]> {
  const times = plan.quick ? 2 : 9
  const stored = plan.quick ? 2_000 : 1_000_000
  const full = await storeOf(stored)
  const fresh: number[] = []
  const used: number[] = []
  const filled: number[] = []
  for (let time = 0; time < times; time += 1) {
    const folder = freshFolder()
    const first = await startTroupe({ folder })
    fresh.push(first.startMs)
    await first.stop()
    const second = await startTroupe({ folder, key: first.key })
    used.push(second.startMs)
    await second.stop()
    removeFolder(folder)
    const third = await startTroupe(full)
    filled.push(third.startMs)
    await third.stop()
  }
  return [
    row('start-up, fresh store', fresh),
    row('start-up, used store', used),
    {
      ...row(`start-up, ${stored.toLocaleString('en-US')} runs stored`, filled),
      ratio: median(filled) / median(used),
      baseline: 'the time of a used store',
    },
  ]
}

function row(what: string, startsMs: number[]): Row {
  const typical = median(startsMs)
  const [slowest] = percentiles(startsMs, [1])
  return {
    what,
    value: `${Math.round(typical)} ms, slowest ${Math.round(slowest as number)} ms`,
    aim: `< ${aimMs} ms`,
    met: typical < aimMs,
  }
}
