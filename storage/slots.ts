/**
 * Slots: the work of a store that several servers share is spread over 64 of them, and each slot has one owner at a time.
 * Whatever is worked on by itself (an actor, a webhook, an Environment, a task of maintenance) is in the slot of its name.
 */
import { createHash } from 'node:crypto'

export const slotCount = 64

/** Whose work a statement asks for: that of slots, as `listIn` gives them. Left out: of all. */
export interface OfSlots {
  slots?: string | null
}

/** These numbers or ids as PostgreSQL takes an array. */
export const listIn = (elements: Iterable<number | string>): string => `{${[...elements].join()}}`

/** The slot of an id. PostgreSQL computes the same: `slot_of`. */
export const slotOf = (id: string): number => (createHash('sha256').update(id).digest()[0] as number) % slotCount
