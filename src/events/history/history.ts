/** Reads an Environment's history: every event once, in order. Source: requirement 4.12; contract 7. */
import { DamagedRecord } from '../../../storage/errors.ts'
import { findHistory, listEvents } from '../../../storage/events/events.ts'
import type { Store } from '../../../storage/store.ts'
import { invalid, orNotFound } from '../../platform/http/answers/errors.ts'
import type { Cursors } from '../../platform/http/cursor.ts'
import type { Page, PageRequest } from '../../platform/http/pagination.ts'
import { cursorExpired, openPosition, type Position, sealPosition } from './position.ts'
import type { EventRetention } from './retention.ts'
import type { Event } from './schema.ts'

interface HistoryParts {
  store: Store
  cursors: Cursors
  retention: Pick<EventRetention, 'keptSince' | 'oldest'>
}

/** An Environment by its path, in an organization. */
export interface HistoryPath {
  organizationId: string
  projectId: string
  environmentId: string
}

interface EventsRequest extends PageRequest {
  /** Without a cursor: begin this many events before the head, or at the oldest available if there are fewer. */
  last?: number
}

interface EventsPage {
  events: Event[]
  pagination: Page & { resumeCursor: string }
}

export class History {
  constructor(private readonly parts: HistoryParts) {}

  /**
   * The next events after the cursor; without one, the last ones, or those from the oldest available. A reader that is
   * bound to an Agent gets none of other Agents, so that a page may have fewer than there are. Throws `notFound`,
   * `invalid_cursor` (422), `validation_failed` (422) for both a cursor and `last`, `cursor_expired` (409) if an event
   * that the reader has not seen has expired.
   */
  async read(path: HistoryPath, request: EventsRequest, boundTo: string | null): Promise<EventsPage> {
    const { store, cursors, retention } = this.parts
    const { environmentId } = path
    const { limit, cursor, last } = request
    if (cursor !== undefined && last !== undefined) throw cursorAndLast()
    const given = cursor === undefined ? undefined : openPosition(cursors, path, cursor)
    const found = orNotFound(await store.first(findHistory(store, path)))
    const { head, generation } = found
    const { keptSince } = retention
    const oldest = () => retention.oldest(environmentId, head, keptSince)
    // numbers have no gaps, and an event commits with its number: the head is a count
    const from: Position = given ?? {
      generation,
      sequence: Math.max((await oldest()) - 1, last === undefined ? 0 : head - last),
      upTo: null,
    }
    // a history restored from a backup may not have reached the cursor
    if (from.generation !== generation || from.sequence > head) throw cursorExpired(await oldest(), generation)

    const upTo = Math.min(from.upTo ?? head, head)
    const rows = await store.all(listEvents(store, { environmentId, after: from.sequence, upTo, limit: limit + 1 }))
    if (given) {
      const due = Math.min(limit + 1, Math.max(0, upTo - from.sequence))
      const isWhole = rows.length === due && rows.every(({ sequence }, index) => sequence === from.sequence + 1 + index)
      if (!isWhole || (rows[0] && rows[0].at < keptSince)) throw cursorExpired(await oldest(), generation)
    }

    const shown = rows.slice(0, limit)
    const reached: Position = { ...from, sequence: shown.at(-1)?.sequence ?? from.sequence, upTo: null }
    const hasMore = rows.length > limit
    return {
      events: shown.map(presentEvent).filter((event) => boundTo === null || isWithin(event, boundTo)),
      pagination: {
        limit,
        hasMore,
        ...(hasMore && { nextCursor: sealPosition(cursors, path, { ...reached, upTo }) }),
        resumeCursor: sealPosition(cursors, path, reached),
      },
    }
  }
}

const cursorAndLast = () =>
  invalid([
    {
      path: '/query/last',
      message: 'Is for a read without a cursor, which says itself where to continue: leave out last or cursor.',
    },
  ])

/** Whether the event is of the Agent, or of no Agent but the Environment. */
const isWithin = ({ data: { agentId } }: Event, boundTo: string) =>
  agentId === undefined || agentId === null || agentId === boundTo

/** Throws `DamagedRecord`. */
function presentEvent({ sequence, body }: { sequence: number; body: string }): Event {
  try {
    return JSON.parse(body) as Event
  } catch (cause) {
    throw Object.assign(new DamagedRecord(`The event ${sequence} of a history cannot be read.`), { cause })
  }
}
