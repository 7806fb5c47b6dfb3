/** The unit of work of one turn: everything that commits together. Source: design 3, rule 4. */
import { deleteTimer, deleteTimers, insertTimer, insertTransition } from '../../storage/runtime/actors.ts'
import { touchActor } from '../../storage/runtime/touch.ts'
import type { Store, Write } from '../../storage/store.ts'
import type { Turn } from './decisions/turn.ts'
import type { Actor, Address, AnyKind, Change, Move } from './kind.ts'

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
export async function unitOf(
  store: Store,
  definition: AnyKind,
  address: Address,
  before: Actor<unknown> | undefined,
  { accepted, timersStarted, spent, state, context, sequence, seed }: Turn,
  { at, now, isShared = false }: { at: number; now: number; isShared?: boolean },
): Promise<UnitOfWork> {
  const owner = { kind: address.kind, actorId: address.id }
  const touch = () =>
    before && isShared ? [touchActor(store, address.kind, { id: address.id, from: before.version })] : []
  if (accepted.length === 0) {
    if (spent.length === 0) return { unit: [] }
    return { unit: [...touch(), ...spent.map((name) => deleteTimer(store, { ...owner, name }))] }
  }

  const changed = before === undefined || state !== before.state || context !== before.context
  const version = before ? before.version + (changed ? 1 : 0) : 1
  const moves = accepted.map(({ move }) => move)
  const change: Change = { address, before: before ?? null, state: state as string, context, version, moves, at, seed }
  const applied = definition.apply(change, store)
  const { row, writes, news } = applied instanceof Promise ? await applied : applied
  /** A clock change must not make the history go backwards. */
  const inOrder = ({ event }: Move) => Math.max(before?.at ?? 0, event.at)
  const last = moves.findLast((move) => move.sequence !== null)
  const since = last ? inOrder(last) : (before?.since ?? at)
  const actor: Actor<unknown> = { address, state: change.state, version, context, sequence, at, since, row }

  const unit = [...writes]
  for (const move of moves) if (move.sequence !== null) unit.push(journal(store, address, move, inOrder(move)))
  if (timersStarted) {
    if (before) unit.push(deleteTimers(store, owner))
    for (const { timer, delayMs } of timersStarted) {
      unit.push(insertTimer(store, { kind: address.kind, actor_id: address.id, name: timer, due_at: now + delayMs }))
    }
  } else for (const name of spent) unit.push(deleteTimer(store, { ...owner, name }))
  for (const { command, move } of accepted) {
    if (command.options.writes) unit.push(...command.options.writes({ actor, move }))
  }
  if (changed || !isShared || unit.length === 0) return { actor, news, unit }
  return { actor: { ...actor, version: version + 1 }, news, unit: [...touch(), ...unit] }
}

function journal(store: Store, { kind, id }: Address, move: Move, at: number): Write {
  return insertTransition(store, {
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
  })
}
