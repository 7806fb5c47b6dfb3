/**
 * Where a reader of a history stands, as the cursors say it. Source: requirement 4.12, "Reading rules"; contract 7.
 *
 * - `resume` goes on behind an event, for as long as that history lives and nothing behind it has been removed.
 * - `next` does the same within one pull: no further than the head was when the pull began, so that a pull ends however
 *   much is written meanwhile.
 */

import { ApiError, invalidCursor } from '../../platform/http/answers/errors.ts'
import type { CursorScope, Cursors, Position as SealedPosition } from '../../platform/http/cursor.ts'

export interface Position {
  /** Which life of the history. */
  generation: number
  /** The last event that the reader has seen; 0: none. */
  sequence: number
  /** The last event of the pull that is under way; null between pulls. */
  upTo: number | null
}

export interface HistoryPlace {
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

/** Events that the reader has not seen are gone: only a new baseline helps. */
export const cursorExpired = (oldestSequence: number, checkpointGeneration: number) =>
  new ApiError(
    409,
    'cursor_expired',
    'Events behind this cursor are not kept any more; take a new baseline and go on from there.',
    { details: { oldestSequence, checkpointGeneration } },
  )
