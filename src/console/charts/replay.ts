/**
 * Which move of the journal is shown. Live, the chart follows the newest, one move after the other, so that each can be
 * seen; otherwise it stands where the user has put it, or plays on from there.
 */
import { useEffect, useRef, useState } from 'react'
import type { JournalRow } from './lit.ts'
import { type Mode, nextPosition, type Speed } from './pace.ts'

export interface Replay {
  mode: Mode
  /** The number of the move that is shown; 0 before there is any. */
  position: number
  /** Whether it was come to by moving forward, and so is to be seen as a move. */
  moving: boolean
  first: number
  last: number
  speed: Speed
  setSpeed(speed: Speed): void
  play(): void
  pause(): void
  /** Shows one move, and stays there. */
  goTo(sequence: number): void
  step(by: 1 | -1): void
  toLive(): void
}

export function useReplay(journal: readonly JournalRow[]): Replay {
  const first = journal[0]?.sequence ?? 0
  const last = journal.at(-1)?.sequence ?? 0
  const [shown, setShown] = useState({ mode: 'live' as Mode, position: 0, moving: false })
  const [speed, setSpeed] = useState<Speed>(1)
  const shownAt = useRef(0)
  // what is there at the beginning is no news
  const begun = shown.position > 0
  const position = begun ? Math.min(shown.position, last) : last
  const { mode } = shown

  useEffect(() => {
    if (last === 0) return
    if (!begun) return setShown((now) => ({ ...now, position: last }))
    const next = nextPosition({ mode, position, speed }, { first, last })
    if (!next) return
    const leftMs = Math.max(0, next.seenMs - (Date.now() - shownAt.current))
    const timer = setTimeout(() => {
      shownAt.current = Date.now()
      setShown((now) => ({ ...now, position: next.position, moving: true }))
    }, leftMs)
    return () => clearTimeout(timer)
  }, [begun, mode, position, speed, first, last])

  const goTo = (sequence: number, moving = false) =>
    setShown({ mode: 'paused', position: Math.min(last, Math.max(first, sequence)), moving })
  return {
    mode: mode === 'playing' && position >= last ? 'paused' : mode,
    position,
    moving: shown.moving,
    first,
    last,
    speed,
    setSpeed,
    play() {
      shownAt.current = Date.now()
      setShown({ mode: 'playing', position: position >= last ? first : position, moving: false })
    },
    pause: () => goTo(position),
    goTo: (sequence) => goTo(sequence),
    step: (by) => goTo(position + by, by === 1),
    toLive: () => setShown({ mode: 'live', position: last, moving: false }),
  }
}
