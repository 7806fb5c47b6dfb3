/** The unit of work of one turn: everything that commits together. Source: design 3, rule 4. */
import { deleteTimer, deleteTimers, insertTimer } from '../../storage/runtime/actors.ts'
import { insertTransitions } from '../../storage/runtime/journal.ts'
import { touchActor } from '../../storage/runtime/touch.ts'
import type { Store, Write } from '../../storage/store.ts'
import type { TransitionRow } from '../../storage/tables.ts'
import type { Turn } from './decisions/turn.ts'
import type { Actor, Address, AnyKind, Applied, Change, Move } from './kind.ts'

export interface UnitOfWork {
  /** The resulting actor; undefined if no event was accepted. */
  actor?: Actor<unknown>
  news?: unknown
  unit: Write[]
}

/**
 * All statements of a turn, without its effects. `at` is the time in the history, `now` the clock's. If servers share
 * the store, every unit of an existing actor compares and increments its version, so that no two servers build on the
 * same version.
 */
export function unitOf(
  store: Store,
  definition: AnyKind,
  address: Address,
  before: Actor<unknown> | undefined,
  turn: Turn,
  times: UnitTimes,
): UnitOfWork | Promise<UnitOfWork> {
  const { accepted, spent, state, context, seed } = turn
  const { at, isShared = false } = times
  const owner = { kind: address.kind, actorId: address.id }
  if (accepted.length === 0) {
    if (spent.length === 0) return { unit: [] }
    const ended = definition.setTimer
      ? [definition.setTimer(store, { id: address.id, timer: null })]
      : spent.map((name) => deleteTimer(store, { ...owner, name }))
    return { unit: [...touchOf(store, address, before, isShared), ...ended] }
  }

  const changed = before === undefined || state !== before.state || context !== before.context
  const version = before ? before.version + (changed ? 1 : 0) : 1
  const moves = accepted.map(({ move }) => move)
  const timer = definition.setTimer && timerOfRow(turn, times.now)
  const change: Change = {
    address,
    before: before ?? null,
    state: state as string,
    context,
    version,
    moves,
    at,
    seed,
    timer,
  }
  const applied = definition.apply(change, store)
  return applied instanceof Promise
    ? applied.then((known) => appliedUnit(store, definition, change, known, turn, times))
    : appliedUnit(store, definition, change, applied, turn, times)
}

interface UnitTimes {
  at: number
  now: number
  isShared?: boolean
}

const touchOf = (store: Store, { kind, id }: Address, before: Actor<unknown> | null | undefined, isShared: boolean) =>
  before && isShared ? [touchActor(store, kind, { id, from: before.version })] : []

function appliedUnit(
  store: Store,
  definition: AnyKind,
  change: Change,
  { row, writes, news }: Applied<unknown>,
  turn: Turn,
  { at, now, isShared = false }: UnitTimes,
): UnitOfWork {
  const { address, before, state, context, version, moves } = change
  const { accepted, sequence } = turn
  /** A clock change must not make the history go backwards. */
  const inOrder = ({ event }: Move) => Math.max(before?.at ?? 0, event.at)
  const last = moves.findLast((move) => move.sequence !== null)
  const since = last ? inOrder(last) : (before?.since ?? at)
  const actor: Actor<unknown> = { address, state, version, context, sequence, at, since, row }

  const unit = [...writes]
  const entries = moves.filter(({ sequence }) => sequence !== null)
  unit.push(
    ...insertTransitions(
      store,
      entries.map((move) => entryOf(address, move, inOrder(move))),
    ),
  )
  unit.push(...timersOf(store, definition, change, turn, now))
  for (const { command, move } of accepted) {
    if (command.options.writes) unit.push(...command.options.writes({ actor, move }))
  }
  const isMoved = !before || version !== before.version
  if (isMoved || !isShared || unit.length === 0) return { actor, news, unit }
  return {
    actor: { ...actor, version: version + 1 },
    news,
    unit: [...touchOf(store, address, before, isShared), ...unit],
  }
}

/** The timer in the actor's row after the turn; null: none, undefined: unchanged. */
function timerOfRow({ timersStarted, spent }: Turn, now: number): Change['timer'] {
  const [started, ...others] = timersStarted ?? []
  if (others.length > 0) throw new Error('A row has room for one timer.')
  if (started) return { name: started.timer, dueAt: now + started.delayMs }
  return timersStarted || spent.length > 0 ? null : undefined
}

function timersOf(
  store: Store,
  { setTimer }: AnyKind,
  { address: { kind, id: actorId }, before, version, timer }: Change,
  { timersStarted, spent }: Turn,
  now: number,
): Write[] {
  // a row that changes is stored with its timer
  if (setTimer)
    return timer === undefined || version !== before?.version ? [] : [setTimer(store, { id: actorId, timer })]
  if (!timersStarted) return spent.map((name) => deleteTimer(store, { kind, actorId, name }))
  return [
    ...(before ? [deleteTimers(store, { kind, actorId })] : []),
    ...timersStarted.map(({ timer, delayMs }) =>
      insertTimer(store, { kind, actor_id: actorId, name: timer, due_at: now + delayMs }),
    ),
  ]
}

function entryOf({ kind, id }: Address, move: Move, at: number): TransitionRow {
  return {
    kind,
    actor_id: id,
    sequence: move.sequence as number,
    from_state: move.from,
    to_state: move.to,
    event: move.event.type,
    by_type: move.by.type,
    by_id: move.by.id,
    attempt: move.attempt,
    reason: move.reason ? JSON.stringify(move.reason) : null,
    at,
    stream_sequence: move.streamSequence ?? null,
  }
}
