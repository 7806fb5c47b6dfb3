/** Subscribers to actors' commits. */
import type { Actor, Move } from './kind.ts'

/** The notification of a commit. */
export interface Notification {
  actor: Actor<unknown>
  moves: readonly Move[]
  /** The news that the kind's `apply` returned. */
  news: unknown
  /** The actor before the commit; null if it is new. */
  before: Actor<unknown> | null
}
export type Listener = (news: Notification) => void

export class Subscribers {
  readonly #listeners = new Map<string, Set<Listener>>()

  constructor(private readonly onError: (error: unknown, what: string) => void) {}

  /** Returns a function that removes the listener. */
  add(key: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(key) ?? new Set()
    this.#listeners.set(key, listeners.add(listener))
    return () => {
      listeners.delete(listener)
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key)
    }
  }

  /** Calls the listeners of one key. Never throws. */
  notify(key: string, news: Notification) {
    const listeners = this.#listeners.get(key)
    if (!listeners) return
    for (const listener of listeners) {
      try {
        listener(news)
      } catch (error) {
        this.onError(error, `a subscriber of ${key}`)
      }
    }
  }
}
