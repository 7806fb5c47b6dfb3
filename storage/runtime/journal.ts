/**
 * The journals of actors. Moves that are committed together share a row: its columns have the last move, and `earlier`
 * has those before it, so a run that goes from the queue to an end writes one row for four moves. A move that is looked
 * up by its columns (one with a reason, or a `continue`) always ends a row.
 */
import { sql } from 'kysely'
import { holds } from '../by-engine.ts'
import { rowsOf } from '../rows.ts'
import { query, together, write } from '../statement.ts'
import type { Store, Write } from '../store.ts'
import type { StoredMoves, TransitionRow } from '../tables.ts'

const transitions = rowsOf('transitions', 'actor_id', 'kind', 'sequence')

const insertRow = together('rows', transitions.insert<StoredMoves>())

/**
 * A move before the last one of its row. `byType` and `byId` are null if they are those of the last move; `before` is
 * the time from this move to the last one, in milliseconds.
 */
type Earlier = [
  to: string,
  event: string,
  byType: string | null,
  byId: string | null,
  attempt: number,
  before: number,
  streamSequence: number | null,
]

const endsRow = ({ reason, event }: TransitionRow) => reason !== null || event === 'continue'

function rowOf(moves: readonly TransitionRow[]): StoredMoves {
  const last = moves.at(-1) as TransitionRow
  if (moves.length === 1) return { ...last, earlier: null }
  const earlier = moves.slice(0, -1).map((move): Earlier => {
    const isSame = move.by_id === last.by_id && move.by_type === last.by_type
    const by = isSame ? ([null, null] as const) : ([move.by_type, move.by_id] as const)
    return [move.to_state, move.event, ...by, move.attempt, last.at - move.at, move.stream_sequence]
  })
  return { ...last, earlier: JSON.stringify([moves[0]?.from_state ?? null, ...earlier]) }
}

/** Inserts the moves that a unit of work makes of one actor, in order. */
export function insertTransitions(store: { db: Store['db'] }, moves: readonly TransitionRow[]): Write[] {
  const rows: Write[] = []
  for (let start = 0; start < moves.length; ) {
    const end = moves.findIndex((move, at) => at >= start && endsRow(move))
    const next = end < 0 ? moves.length : end + 1
    rows.push(insertRow(store, rowOf(moves.slice(start, next))))
    start = next
  }
  return rows
}

/** The moves in stored rows, in order. */
export function movesOf(rows: readonly StoredMoves[]): TransitionRow[] {
  const moves: TransitionRow[] = []
  for (const { earlier, ...last } of rows) {
    if (earlier === null) {
      moves.push(last)
      continue
    }
    const [first, ...others] = JSON.parse(earlier) as [string | null, ...Earlier[]]
    let from_state = first
    for (const [at, [to_state, event, byType, byId, attempt, before, stream_sequence]] of others.entries()) {
      moves.push({
        kind: last.kind,
        actor_id: last.actor_id,
        sequence: last.sequence - others.length + at,
        from_state,
        to_state,
        event,
        by_type: byType ?? last.by_type,
        by_id: byId ?? last.by_id,
        attempt,
        reason: null,
        at: last.at - before,
        stream_sequence,
      })
      from_state = to_state
    }
    moves.push(last)
  }
  return moves
}

interface Page {
  kind: string
  actorId: string
  after: number
  limit: number
}

const rowsBy = (position: 'sequence' | 'stream_sequence') =>
  query((db, values: Page) =>
    db
      .selectFrom('transitions')
      .selectAll()
      .where('actor_id', '=', values.actorId)
      .where('kind', '=', values.kind)
      .where(position, '>', values.after)
      .orderBy('sequence')
      .limit(values.limit),
  )
const rowsAfter = rowsBy('sequence')
const rowsInStream = rowsBy('stream_sequence')

/** The journal of one actor, ascending, after a sequence number. */
export async function listTransitions(store: Pick<Store, 'db' | 'all'>, page: Page): Promise<TransitionRow[]> {
  const moves = movesOf(await store.all<StoredMoves>(rowsAfter(store, page)))
  return moves.filter(({ sequence }) => sequence > page.after).slice(0, page.limit)
}

/** The moves of one actor that have a number in its resource's event stream, ascending, after this number. */
export async function listTransitionsInStream(store: Pick<Store, 'db' | 'all'>, page: Page): Promise<TransitionRow[]> {
  const moves = movesOf(await store.all<StoredMoves>(rowsInStream(store, page)))
  return moves.filter(({ stream_sequence }) => (stream_sequence as number) > page.after).slice(0, page.limit)
}

export const lastTransition = rowsOf('transitions', 'kind', 'actor_id', 'sequence')
  .only('sequence', 'stream_sequence', 'at')
  .latest('sequence', 'actor_id', 'kind')

interface Beginning {
  kind: string
  actorId: string
  /** The last sequence number of it. */
  upTo: number
}

/** The first rows of an actor's journal whose moves were before `until`, ascending. */
export const listOldRows = query((db, values: Beginning & { until: number; limit: number }) =>
  db
    .selectFrom('transitions')
    .select('sequence')
    .where('actor_id', '=', values.actorId)
    .where('kind', '=', values.kind)
    .where('sequence', '<=', values.upTo)
    .where('at', '<', values.until)
    .orderBy('sequence')
    .limit(values.limit),
)

/** Removes the first rows of an actor's journal. */
export const removeBeginning = write((db, values: Beginning) =>
  db
    .deleteFrom('transitions')
    .where('actor_id', '=', values.actorId)
    .where('kind', '=', values.kind)
    .where('sequence', '<=', values.upTo),
)

const firstRowInto = query(
  (db, values: { kind: string; actorId: string; after: number; state: string; within: string }) =>
    db
      .selectFrom('transitions')
      .selectAll()
      .where('actor_id', '=', values.actorId)
      .where('kind', '=', values.kind)
      .where('sequence', '>', values.after)
      .where(({ or, eb }) => or([eb('to_state', '=', values.state), holds(sql.ref('earlier'), values.within)]))
      .orderBy('sequence')
      .limit(1),
)

/** When the actor first entered a state after move `after`, which must end its row; undefined if it has not. */
export async function firstEntry(
  store: Pick<Store, 'db' | 'first'>,
  values: { kind: string; actorId: string; after: number; state: string },
): Promise<number | undefined> {
  // how an earlier move begins in the JSON; inside a string, the quotes would be escaped
  const within = `[${JSON.stringify(values.state)},`
  const row = await store.first<StoredMoves>(firstRowInto(store, { ...values, within }))
  return row && movesOf([row]).find(({ to_state }) => to_state === values.state)?.at
}
