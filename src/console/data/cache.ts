/**
 * What was read from the API, kept while somebody looks at it and for a while after: who comes back sees it at once while it
 * is read again. Keys are lists of words; whoever changes something names the beginning of what changed.
 */
import { ApiFailure, failureOf, isAbort } from '../api/failure.ts'

export type Key = readonly (string | number | boolean | null | undefined)[]

/** Reads a value; given up when the signal fires. */
export type Read = (signal: AbortSignal) => Promise<unknown>

export interface Entry {
  /** The last value; undefined until there is one. It stays while it is read again. */
  value: unknown
  /** Of the last reading, when that went wrong. */
  failure: ApiFailure | undefined
  reading: boolean
}

interface Slot {
  key: string
  entry: Entry
  watchers: Set<() => void>
  read: Read | undefined
  controller: AbortController | undefined
}

const nothing: Entry = { value: undefined, failure: undefined, reading: false }
/** Entries that nobody looks at any more. */
const idleMax = 200

const nameOf = (key: Key): string => `${key.map((part) => JSON.stringify(part ?? null)).join(',')},`

export class Cache {
  readonly #slots = new Map<string, Slot>()

  entry(key: Key): Entry {
    return this.#slots.get(nameOf(key))?.entry ?? nothing
  }

  /** Watches a key and reads it; the last watcher that leaves gives an open reading up. */
  watch(key: Key, read: Read, changed: () => void): () => void {
    const slot = this.#slotOf(key)
    slot.watchers.add(changed)
    slot.read = read
    if (!slot.entry.reading) void this.#read(slot)
    return () => {
      slot.watchers.delete(changed)
      if (slot.watchers.size > 0) return
      slot.controller?.abort()
      // whoever comes back begins a reading of their own
      slot.controller = undefined
      slot.entry = { ...slot.entry, reading: false }
      this.#forgetIdle()
    }
  }

  /** Reads again what begins with the key, now where somebody looks, else when somebody looks again. */
  async refresh(key: Key = []): Promise<void> {
    const beginning = key.length === 0 ? '' : nameOf(key)
    const touched = [...this.#slots.values()].filter((slot) => slot.key.startsWith(beginning))
    await Promise.all(
      touched.map(async (slot) => {
        if (slot.watchers.size > 0) await this.#read(slot)
        else this.#slots.delete(slot.key)
      }),
    )
  }

  /** Puts a value in place that is known already, as the answer to a change. */
  put(key: Key, value: unknown): void {
    const slot = this.#slotOf(key)
    slot.controller?.abort()
    slot.controller = undefined
    this.#set(slot, { value, failure: undefined, reading: false })
  }

  #slotOf(key: Key): Slot {
    const name = nameOf(key)
    const known = this.#slots.get(name)
    if (known) return known
    const slot = { key: name, entry: nothing, watchers: new Set<() => void>(), read: undefined, controller: undefined }
    this.#slots.set(name, slot)
    return slot
  }

  async #read(slot: Slot): Promise<void> {
    if (!slot.read) return
    slot.controller?.abort()
    const controller = new AbortController()
    slot.controller = controller
    this.#set(slot, { ...slot.entry, reading: true })
    const isCurrent = () => slot.controller === controller
    try {
      const value = await slot.read(controller.signal)
      if (isCurrent()) this.#set(slot, { value, failure: undefined, reading: false })
    } catch (thrown) {
      if (!isCurrent()) return
      const failure = isAbort(thrown) || controller.signal.aborted ? slot.entry.failure : failureOf(thrown)
      if (!(thrown instanceof ApiFailure) && !isAbort(thrown)) console.warn(thrown)
      this.#set(slot, { ...slot.entry, failure, reading: false })
    }
  }

  #set(slot: Slot, entry: Entry): void {
    slot.entry = entry
    for (const changed of slot.watchers) changed()
  }

  /** The oldest go first. */
  #forgetIdle(): void {
    const idle = [...this.#slots.values()].filter((slot) => slot.watchers.size === 0)
    for (const slot of idle.slice(0, Math.max(0, idle.length - idleMax))) this.#slots.delete(slot.key)
  }
}
