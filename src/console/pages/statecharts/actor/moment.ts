/** The shown entry of the journal, in the address: `?at=5`. Without it the page is live. */
import { useEffect, useRef } from 'react'
import { useAddressQuery } from '../../../address-query.ts'
import type { LiveActor } from '../../../charts/actor.ts'
import type { Replay } from '../../../charts/replay.ts'

/** Goes to the entry in the address once, then updates the address with the shown entry. */
export function useMomentInAddress({ older, readingOlder }: LiveActor, replay: Replay): void {
  const { values, change } = useAddressQuery('at')
  const wanted = useRef(/^\d{1,15}$/.test(values.at) ? Number(values.at) : undefined)
  const { mode, position, first, last, goTo } = replay

  // wait until the entry is loaded: it may precede the loaded part of the journal
  useEffect(() => {
    if (wanted.current === undefined || last === 0) return
    if (mode === 'paused') wanted.current = undefined
    else if (wanted.current >= first || !older) goTo(wanted.current)
    else if (!readingOlder) older()
  })

  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new entry is written to the address
  useEffect(() => {
    if (wanted.current !== undefined || last === 0 || mode === 'playing') return
    change({ at: mode === 'live' ? '' : String(position) })
  }, [mode, position, last === 0])
}
