/**
 * The position of a reader in a history, as stored in cursors. Source: requirement 4.12, "Reading rules"; contract 7.
 *
 * - `resume` continues after an event, as long as the history exists and no later event has expired.
 * - `next` continues within one pull, up to the head at its start, so that a pull ends even while events are written.
 */

import { ApiError, invalidCursor } from '../../platform/http/answers/errors.ts'
import type { CursorScope, Cursors, Position as SealedPosition } from '../../platform/http/cursor.ts'

export interface Position {
  /** The generation of the history. */
  generation: number
  /** The last event that the reader has seen; 0 for none. */
  sequence: number
  /** The last event of the current pull; null between pulls. */
  upTo: number | null
}

interface HistoryPlace {
  organizationId: string
  environmentId: string
}

const scopeOf = ({ organizationId, environmentId }: HistoryPlace): CursorScope => ({
  list: 'environment-events',
  organizationId,
  filters: { environmentId },
})

export const sealPosition = (cursors: Cursors, place: HistoryPlace, { generation, sequence, upTo }: Position): string =>
  cursors.seal(scopeOf(place), upTo === null ? ['resume', generation, sequence] : ['next', generation, sequence, upTo])

/** Throws `invalid_cursor` (422) unless it was sealed for this history. */
export function openPosition(cursors: Cursors, place: HistoryPlace, cursor: string): Position {
  const [kind, generation, sequence, upTo = null]: SealedPosition = cursors.open(scopeOf(place), cursor)
  const isKnown = kind === (upTo === null ? 'resume' : 'next')
  if (!isKnown || typeof generation !== 'number' || typeof sequence !== 'number' || typeof upTo === 'string') {
    throw invalidCursor()
  }
  return { generation, sequence, upTo }
}

/** Events that the reader has not seen have expired: the reader needs a new baseline. */
export const cursorExpired = (oldestSequence: number, checkpointGeneration: number) =>
  new ApiError(
    409,
    'cursor_expired',
    'Events after this cursor have been removed; take a new baseline and continue from there.',
    { details: { oldestSequence, checkpointGeneration } },
  )
