/** Whether the page is looked at: what is streamed to a hidden tab only holds a connection. */
import { useSyncExternalStore } from 'react'

const watch = (changed: () => void) => {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}

export const useVisible = (): boolean => useSyncExternalStore(watch, () => document.visibilityState !== 'hidden')
