/** The highlights on a chart, from an actor's journal and the shown transition. */
import { useMemo } from 'react'
import type { LiveActor } from './actor.ts'
import { type Lit, litAt, litBy } from './lit.ts'
import type { ChartModel } from './model.ts'
import type { Replay } from './replay.ts'

export function useLit(
  { journal, state }: Pick<LiveActor, 'journal' | 'state'>,
  replay: Replay,
  edgeOf: ChartModel['edgeOf'] | undefined,
): Lit {
  const { position, passed } = replay
  return useMemo(
    () => (journal.length === 0 ? litAt(state || undefined) : litBy(journal, position, edgeOf, passed)),
    [journal, state, position, edgeOf, passed],
  )
}
