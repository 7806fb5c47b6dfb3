/**
 * Slots: the work of a store with several servers is divided into 64 slots, each owned by one server at a time.
 * Everything that is processed independently (an actor, a webhook, an Environment, a maintenance task) belongs to the
 * slot of its id.
 */
import { createHash } from 'node:crypto'

export const slotCount = 64

/** The slots whose work a statement selects, as `listIn` formats them; omitted: all. */
export interface OfSlots {
  slots?: string | null
}

/** Formats numbers or ids as a PostgreSQL array literal. */
export const listIn = (elements: Iterable<number | string>): string => `{${[...elements].join()}}`

/** The slot of an id. PostgreSQL's function `slot_of` computes the same. */
export const slotOf = (id: string): number => (createHash('sha256').update(id).digest()[0] as number) % slotCount
