/**
 * One turn of an actor: decides the waiting commands one after another, each on the result of the previous one. Stores
 * and answers nothing.
 */
import type { AnyEventObject } from 'xstate'
import type { Refusal } from '../../../machines/words.ts'
import { ApiError, conflict, notFound } from '../../platform/http/answers/errors.ts'
import type { Command, Registered } from '../command.ts'
import { type Actor, type AnyContext, type Move, system } from '../kind.ts'
import { beginBy, type Decision, decide, type RequestedEffect } from './decide.ts'
import type { DecisionTable } from './table.ts'

export interface Turn {
  state: string | null
  context: Record<string, unknown>
  table: DecisionTable
  /** The last sequence number of the journal. */
  sequence: number
  /** The time of the last event: the history never goes backwards. */
  at: number
  accepted: { command: Command; move: Move<AnyEventObject, AnyContext> }[]
  effects: RequestedEffect[]
  /** The deadlines to start if a state was entered; all other deadlines ended with the state that was left. */
  timersStarted: Decision['timersStarted'] | undefined
  /** Deadlines that fired without leaving the state. */
  spent: string[]
  /** Answers to commands that change nothing. */
  answers: (() => void)[]
  /** Whether a command was refused because of the actor's state, or because the actor exists. */
  refused: boolean
  /** The row data given to `create`. */
  seed: unknown
  /** Measurements that are added to every event. */
  known: Record<string, unknown> | undefined
}

/** Adds the time and a random number in [0, 1) to an event, for the statechart. */
export const stamp = (event: AnyEventObject, at: number, chance: number, known?: object) => ({
  ...event,
  ...known,
  at,
  chance,
})

/** `due` has the due times of the actor's stored timers that are due now, by name. */
export function takeTurn(
  kind: Registered,
  before: Actor<unknown> | undefined,
  batch: readonly Command[],
  due: ReadonlyMap<string, number>,
  at: number,
  random: () => number,
): Turn {
  const turn: Turn = {
    state: before?.state ?? null,
    context: before?.context ?? {},
    table: before ? kind.tableOf(before.row) : kind.table,
    sequence: before?.sequence ?? 0,
    at: before?.at ?? 0,
    accepted: [],
    effects: [],
    timersStarted: undefined,
    spent: [],
    answers: [],
    refused: false,
    seed: undefined,
    known: before && kind.definition.measure?.(before.address.id),
  }
  for (const command of batch) {
    if (command.deadline) applyDeadline(turn, kind, command, due, at, random)
    else if (turn.state === null && command.event) turn.answers.push(() => command.reject(notFound()))
    else {
      const happenedAt = command.sentAt === undefined ? at : Math.min(at, Math.max(turn.at, command.sentAt))
      const event = command.event
        ? stamp(command.event, happenedAt, random(), turn.known)
        : { ...command.creation?.facts, type: command.creation?.named ?? '', at: happenedAt, chance: 0 }
      if (!apply(turn, kind, command, event, random)) {
        const refusal = refusalOf(turn, event)
        turn.refused = true
        turn.answers.push(() => command.reject(refusal))
      }
    }
  }
  return turn
}

/** A timer that was read as due may have ended or restarted since, also within this turn. */
function applyDeadline(
  turn: Turn,
  kind: Registered,
  command: Command,
  due: ReadonlyMap<string, number>,
  at: number,
  random: () => number,
) {
  const given = command.event as AnyEventObject
  const dueAt = due.get(given.type)
  const event = stamp(given, at, random(), { ...turn.known, ...(dueAt !== undefined && { lateMs: at - dueAt }) })
  const isDue = turn.timersStarted === undefined && dueAt !== undefined
  if (isDue) turn.spent.push(event.type)
  if (isDue && turn.state !== null && apply(turn, kind, command, event, random)) return
  turn.answers.push(() => command.resolve(undefined))
}

/** Decides the event, or the sender's alternative if no row for the event applies. */
function apply(
  turn: Turn,
  { definition, tableOfChart }: Registered,
  command: Command,
  event: Move['event'],
  random: () => number,
) {
  const { state: from } = turn
  const { orElse, by, chart } = command.options
  const table = chart ? tableOfChart(chart) : turn.table
  let decided = event
  let decision: Decision | undefined
  if (from === null) {
    if (definition.chartOf && !chart) throw new Error(`A ${definition.kind} is created with a statechart of its own.`)
    decision = beginBy(table, event, command.creation?.input)
    turn.seed = command.creation?.seed
  } else {
    decision = decide(table, from, turn.context, event)
    if (!decision && orElse) {
      decided = stamp(orElse, event.at, random(), turn.known)
      decision = decide(table, from, turn.context, decided)
    }
  }
  if (!decision) return false

  const { state: to, context } = decision
  if (to !== from) turn.sequence += 1
  const { attempt, reason } = definition.describe?.(context, decided) ?? { attempt: 0, reason: null }
  const move: Move<AnyEventObject, AnyContext> = {
    event: decided,
    by: command.deadline ? system : (by ?? system),
    from,
    to,
    sequence: to === from ? null : turn.sequence,
    context,
    attempt,
    reason,
  }
  if (chart) move.chart = chart
  turn.accepted.push({ command, move })
  for (const effect of decision.effects) turn.effects.push(effect)
  if (decision.moved) turn.timersStarted = decision.timersStarted
  turn.table = table
  turn.state = to
  turn.context = context
  turn.at = event.at
  return true
}

/** The error for an event without a row or without a passing guard, and for a creation whose guard does not hold. */
export function refusalOf(
  { table, context, state }: Pick<Turn, 'table' | 'context' | 'state'>,
  event: AnyEventObject,
): ApiError {
  const declared = declaredFor(table, state, event.type).find(
    ({ when, unless }) =>
      (when === undefined || context[when] === true) && (unless === undefined || event[unless] !== true),
  )
  if (!declared) return conflict(state ?? 'absent')
  const { status, code, message, conflictReason } = declared
  const details = { ...(state !== null && { currentState: state }), ...(conflictReason && { conflictReason }) }
  return new ApiError(status, code as 'invalid_transition', message, {
    details: status === 404 ? undefined : details,
    // no single field is wrong
    at: status === 422 ? '' : undefined,
  })
}

function declaredFor(table: DecisionTable, state: string | null, event: string): readonly Refusal[] {
  if (state === null) return table.creations.get(event)?.refuses ?? []
  const refuses = table.refusals.get(state) ?? {}
  // event names may equal names of Object's own properties
  return Object.hasOwn(refuses, event) ? [refuses[event] ?? []].flat() : []
}
