/** The light on a chart, by an actor's journal and by which of its moves is shown. */
import { useMemo } from 'react'
import type { LiveActor } from './actor.ts'
import { type Lit, litAt, litBy } from './lit.ts'
import type { Replay } from './replay.ts'

export function useLit({ journal, state }: Pick<LiveActor, 'journal' | 'state'>, replay: Replay): Lit {
  const { position, passed } = replay
  return useMemo(
    () => (journal.length === 0 ? litAt(state || undefined) : litBy(journal, position, passed)),
    [journal, state, position, passed],
  )
}
