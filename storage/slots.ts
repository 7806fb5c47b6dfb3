/**
 * Slots: the work of a store that several servers share is spread over 64 of them, and each slot has one owner at a time.
 * Whatever is worked on by itself (an actor, a webhook, an Environment, a task of maintenance) is in the slot of its name.
 */
import { createHash } from 'node:crypto'

export const slotCount = 64

/** The slot of an id. PostgreSQL computes the same for the column `slot` of a row: see `slotColumn`. */
export const slotOf = (id: string): number => (createHash('sha256').update(id).digest()[0] as number) % slotCount
