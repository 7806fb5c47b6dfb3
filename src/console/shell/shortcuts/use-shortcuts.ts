/** Listens for the keyboard shortcuts of every page. */
import { useEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import type { Place } from '../../places.ts'
import { navigationOf, shortcutsOf } from '../navigation.ts'
import { pressPrimary } from '../palette/page-actions.ts'
import { isSingleKey, moveRow } from './shortcuts.ts'

/** How long the second key of a shortcut may take. */
const pauseMs = 1_200

interface Opening {
  palette: () => void
  sheet: () => void
}

export function useShortcuts(place: Place, open: Opening): void {
  const [, navigate] = useLocation()
  const latest = useRef({ place, open, navigate })
  latest.current = { place, open, navigate }

  useEffect(() => {
    let leaderAt = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      const { place, open, navigate } = latest.current
      const { key, ctrlKey, metaKey, shiftKey, altKey, timeStamp } = event
      if ((ctrlKey || metaKey) && !shiftKey && !altKey && key.toLowerCase() === 'k') {
        event.preventDefault()
        open.palette()
        return
      }
      if (!isSingleKey(event)) return
      const isSecond = timeStamp - leaderAt < pauseMs
      leaderAt = Number.NEGATIVE_INFINITY
      if (isSecond) {
        const href = shortcutsOf(navigationOf(place)).get(key)
        if (href === undefined) return
        event.preventDefault()
        navigate(href)
      } else if (key === 'g') leaderAt = timeStamp
      else if (key === '?') open.sheet()
      else if (key === 'n') pressPrimary()
      else if (key === 'j') moveRow(1)
      else if (key === 'k') moveRow(-1)
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}
