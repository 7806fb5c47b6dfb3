/** The highlights on the chart of a simulation; its accepted steps are treated like an actor's journal. */
import { type JournalRow, type Lit, litBy } from '../../../charts/lit.ts'
import type { ChartModel } from '../../../charts/model.ts'
import type { Outcome } from './use-simulation.ts'

const system = { type: 'system', id: 'troupe' }

/** From the first `shown` steps of the response. */
export function litPath({ start, steps }: Outcome, shown: number, edgeOf: ChartModel['edgeOf'] | undefined): Lit {
  const rows: JournalRow[] = []
  const add = (from: string | null, to: string | null, event: string, at: string) => {
    if (to === null) return
    rows.push({ sequence: rows.length + 1, from, to, event, actor: system, attempt: 0, reason: null, at })
  }
  add(null, start.state, '', start.at)
  for (const { accepted, from, to, event, at } of steps.slice(0, shown)) if (accepted) add(from, to, event, at)
  const isMove = shown > 0 && steps[shown - 1]?.accepted === true
  return litBy(rows, rows.length, edgeOf, isMove ? [{ sequence: rows.length, delayMs: 0 }] : [])
}
