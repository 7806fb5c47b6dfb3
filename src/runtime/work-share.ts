/** The part of the actors' work that belongs to this server, if several share a store. */
import { listIn, slotCount } from '../../storage/slots.ts'
import type { Members } from '../platform/members/members.ts'

export type WorkShare = Pick<Members, 'id' | 'isShared' | 'slots' | 'living' | 'owns' | 'look' | 'onChange'>

/** The share of a single server: all work. */
export const allWork: WorkShare = {
  id: '',
  isShared: false,
  slots: Array.from({ length: slotCount }, (_, slot) => slot),
  living: new Set(['']),
  owns: () => true,
  look: async () => new Set(['']),
  onChange: () => () => {},
}

/** The slots for a statement; null: all. */
export const slotsOf = ({ slots }: Pick<WorkShare, 'slots'>): string | null =>
  slots.length === slotCount ? null : listIn(slots)

/** The interval at which this server polls for work that others added without a notification. */
const sweepMs = 1_000

/** The longest interval between two queries of the store. */
export const lookAgainMs = ({ living }: Pick<WorkShare, 'living'>, aloneMs: number): number =>
  living.size > 1 ? sweepMs : aloneMs
