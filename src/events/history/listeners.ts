/**
 * Who wants to know that the history of an Environment has grown. They are told after the commit, and only as a hint: what
 * has happened is in the store, and whoever missed it finds it there.
 */
import type { Store } from '../../../storage/store.ts'

type Listener = (environmentId: string) => void

const listeners = new WeakMap<Store, Set<Listener>>()

/** Calls the listener after each commit with an event; it must not throw. Returns how to stop listening. */
export function onHistoryGrown(store: Store, listener: Listener): () => void {
  const known = listeners.get(store) ?? new Set()
  listeners.set(store, known.add(listener))
  return () => void known.delete(listener)
}

/** An event of the Environment has been committed. */
export function notifyListeners(store: Store, environmentId: string): void {
  for (const listener of listeners.get(store) ?? []) listener(environmentId)
}
