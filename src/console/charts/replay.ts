/**
 * The transition of the journal that is shown. In live mode it is the newest, at once; the highlights of the transitions
 * that led there follow. Otherwise it is the one that the user chose, or that the replay has reached.
 */
import { useEffect, useRef, useState } from 'react'
import type { JournalRow, Passed } from './lit.ts'
import { litMs, type Mode, nextPosition, passedBetween, type Speed } from './pace.ts'

export interface Replay {
  mode: Mode
  /** The sequence number of the shown transition; 0 before there is one. */
  position: number
  /** Transitions that have just happened, or were stepped over; their edges are highlighted. */
  passed: readonly Passed[]
  first: number
  last: number
  speed: Speed
  setSpeed(speed: Speed): void
  play(): void
  pause(): void
  /** Shows one transition, and stops there. */
  goTo(sequence: number): void
  step(by: 1 | -1): void
  toLive(): void
}

const none: readonly Passed[] = []
/** The most transitions that are highlighted at the same time. */
const newsMax = 12

export function useReplay(journal: readonly JournalRow[]): Replay {
  const first = journal[0]?.sequence ?? 0
  const last = journal.at(-1)?.sequence ?? 0
  const [shown, setShown] = useState({ mode: 'live' as Mode, position: 0, passed: none })
  const [speed, setSpeed] = useState<Speed>(1)
  const shownAt = useRef(0)
  const { mode } = shown
  const position = mode === 'live' ? last : Math.min(shown.position, last)
  const news = useNews(last)

  useEffect(() => {
    const next = nextPosition({ mode, position, speed }, { first, last })
    if (!next) return
    const leftMs = Math.max(0, next.seenMs - (Date.now() - shownAt.current))
    const timer = setTimeout(() => {
      shownAt.current = Date.now()
      setShown((now) => ({ ...now, position: next.position, passed: [{ sequence: next.position, delayMs: 0 }] }))
    }, leftMs)
    return () => clearTimeout(timer)
  }, [mode, position, speed, first, last])

  const goTo = (sequence: number, passed = none) =>
    setShown({ mode: 'paused', position: Math.min(last, Math.max(first, sequence)), passed })
  return {
    mode: mode === 'playing' && position >= last ? 'paused' : mode,
    position,
    passed: mode === 'live' ? news : shown.passed,
    first,
    last,
    speed,
    setSpeed,
    play() {
      shownAt.current = Date.now()
      setShown({ mode: 'playing', position: position >= last ? first : position, passed: none })
    },
    pause: () => goTo(position),
    goTo: (sequence) => goTo(sequence),
    step: (by) => goTo(position + by, by === 1 ? [{ sequence: position + 1, delayMs: 0 }] : none),
    toLive: () => setShown({ mode: 'live', position: last, passed: none }),
  }
}

/** Transitions that arrived since the last render, until their highlights end. The initial journal is not highlighted. */
function useNews(last: number): readonly Passed[] {
  const [news, setNews] = useState(none)
  const seen = useRef(0)
  useEffect(() => {
    const before = seen.current
    seen.current = last
    if (before === 0 || last <= before) return
    const passed = passedBetween(before, last)
    // running highlights continue
    setNews((known) => [...known, ...passed].slice(-newsMax))
    const timer = setTimeout(() => setNews(none), (passed.at(-1)?.delayMs ?? 0) + litMs)
    return () => clearTimeout(timer)
  }, [last])
  return news
}
