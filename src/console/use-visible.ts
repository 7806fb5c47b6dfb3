/** Whether the page is visible: a stream to a hidden tab would only occupy a connection. */
import { useSyncExternalStore } from 'react'

const watch = (changed: () => void) => {
  document.addEventListener('visibilitychange', changed)
  return () => document.removeEventListener('visibilitychange', changed)
}

export const useVisible = (): boolean => useSyncExternalStore(watch, () => document.visibilityState !== 'hidden')
