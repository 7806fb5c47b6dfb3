/** The moment of the journal that is looked at, kept in the address: `?at=5`. Without it the page shows what happens now. */
import { useEffect, useRef } from 'react'
import { useAddressQuery } from '../../../address-query.ts'
import type { LiveActor } from '../../../charts/actor.ts'
import type { Replay } from '../../../charts/replay.ts'

/** Goes to the moment in the address once, and keeps the address at the moment that is shown from then on. */
export function useMomentInAddress({ older, readingOlder }: LiveActor, replay: Replay): void {
  const { values, change } = useAddressQuery('at')
  const wanted = useRef(/^\d{1,15}$/.test(values.at) ? Number(values.at) : undefined)
  const { mode, position, first, last, goTo } = replay

  // until it is there: it may be before what has been read of the journal
  useEffect(() => {
    if (wanted.current === undefined || last === 0) return
    if (mode === 'paused') wanted.current = undefined
    else if (wanted.current >= first || !older) goTo(wanted.current)
    else if (!readingOlder) older()
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: only another moment is told
  useEffect(() => {
    if (wanted.current !== undefined || last === 0 || mode === 'playing') return
    change({ at: mode === 'live' ? '' : String(position) })
  }, [mode, position, last === 0])
}
