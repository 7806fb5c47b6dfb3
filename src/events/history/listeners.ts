/**
 * Listeners for the growth of an Environment's history. They are called after the commit, as a hint only: the events
 * are in the store, where missed ones are found.
 */
import type { Store } from '../../../storage/store.ts'

type Listener = (environmentId: string) => void

const listeners = new WeakMap<Store, Set<Listener>>()

/** Calls the listener after each commit with an event; it must not throw. Returns a function that stops it. */
export function onHistoryGrown(store: Store, listener: Listener): () => void {
  const known = listeners.get(store) ?? new Set()
  listeners.set(store, known.add(listener))
  return () => void known.delete(listener)
}

/** An event of the Environment has been committed. */
export function notifyListeners(store: Store, environmentId: string): void {
  for (const listener of listeners.get(store) ?? []) listener(environmentId)
}
