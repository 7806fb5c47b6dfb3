/** Simulates a series of events on a copy, bounded in number, size and time. Nothing is stored or executed. */
import type { AnyEventObject } from 'xstate'
import { invalid } from '../../../platform/http/answers/errors.ts'
import { instantOf, timestamp } from '../../../platform/http/timestamp.ts'
import { slices } from '../../../platform/time/next-turn.ts'
import type { DecisionTable } from '../../decisions/table.ts'
import type { Effect } from '../../kind.ts'
import { presentTimer } from '../../transition.ts'
import { lookupsOf } from '../lookups.ts'
import { Copy, type CopyStep } from './copy.ts'
import type { Simulation, SimulationOfActor, SimulationOfMachine } from './schema.ts'

type Context = Record<string, unknown>

/** The most rows in one answer: deadlines may recur while the clock advances. */
const rowsMax = 200
/** The most characters of the changes in one answer. */
const changesMax = 256 * 1024

/** The origin of the copy. */
export interface Origin {
  kind: string
  table: DecisionTable
  effects: Readonly<Record<string, Effect>>
  show(context: Context): Context
  /** The input of a new actor; `at` in it is replaced by the time of the creation. */
  input: unknown
  /** The facts that the server would add to such an event, unless the event has them. */
  facts?(event: string): Promise<object>
  /** The current actor; omitted: there is none. */
  actor?: { state: string; context: Context; sequence: number; timers: { name: string; due_at: number }[] }
}

type Event = string | { type: string }
const eventOf = (event: Event): AnyEventObject => (typeof event === 'string' ? { type: event } : event)

function inputAt(input: unknown, at: number): unknown {
  return typeof input === 'object' && input !== null && 'at' in input ? { ...input, at } : input
}

/** Throws 422 for unknown fields of the context. */
function withGiven(context: Context, given: Context): Context {
  const known = Object.keys(context)
  const strange = Object.keys(given).filter((field) => !Object.hasOwn(context, field))
  if (strange.length > 0) {
    const message = `The context has no such field. It has: ${known.join(', ') || 'none'}.`
    throw invalid(strange.map((field) => ({ path: `/body/context/${field}`, message })))
  }
  return { ...structuredClone(context), ...given }
}

interface Begun {
  copy: Copy
  /** The creation, if the actor did not exist before. */
  birth: CopyStep | undefined
  start: Simulation['start']
}

function standingOf(copy: Copy): Simulation['start'] {
  const { state, at, shown, timers } = copy
  return {
    state,
    at: timestamp(at),
    context: shown,
    timers: timers.map(({ event, dueAt }) => ({ event, dueAt: timestamp(dueAt) })),
  }
}

/** Throws 422 for input that does not match the statechart. */
function beginCopy(origin: Origin, request: SimulationOfActor, now: number): Begun {
  const { table, show, actor } = origin
  const { context: given = {}, chance = 0, birth: asked, from = 'now' } = request
  const at = request.at === undefined ? now : (instantOf(request.at) ?? now)
  const isLive = actor !== undefined && from === 'now'
  if (isLive && asked) {
    throw invalid([
      { path: '/body/birth', message: 'The actor is there already. Simulate from the start, or leave it out.' },
    ])
  }
  const input = inputAt(origin.input, at)
  const context = withGiven(isLive ? actor.context : table.initial.context(input), given)
  const born = { ...table, initial: { ...table.initial, context: () => structuredClone(context) } }
  const events = isLive ? lookupsOf(table).nextEvents(actor.state) : []
  const copyOf = () => {
    try {
      return new Copy({
        table: born,
        state: isLive ? actor.state : null,
        context,
        at,
        timers: new Map(isLive ? runningOf(actor.timers, events) : []),
        sequence: isLive ? actor.sequence : 0,
        chance,
        show,
      })
    } catch (cause) {
      const fault = invalid([{ path: '/body/context', message: 'These values do not fit the statechart.' }])
      fault.cause = cause
      throw fault
    }
  }
  const copy = copyOf()
  const start = standingOf(copy)
  if (isLive) return { copy, birth: undefined, start }

  const [first = ''] = table.creations.keys()
  const event = asked ? eventOf(asked.event) : { type: first }
  const guard = table.creations.get(event.type)?.guard?.name
  if (!table.creations.has(event.type)) {
    const ways = [...table.creations.keys()].join(', ')
    const message = `The statechart has no such way into being. It has: ${ways}.`
    throw invalid([{ path: '/body/birth/event', message }])
  }
  const assumed = asked ? (asked.assume ?? {}) : guard === undefined ? {} : { [guard]: true }
  return { copy, birth: copy.begin(event, input, assumed), start }
}

const runningOf = (timers: { name: string; due_at: number }[], events: readonly string[]) =>
  timers.filter(({ name }) => events.includes(name)).map(({ name, due_at }): [string, number] => [name, due_at])

const doneBy = (effect: Effect | undefined) =>
  effect === undefined || effect === 'inCommit' ? 'commit' : 'hint' in effect ? 'hint' : 'durable'

/** The fields whose values differ. */
function changesBetween(before: Context, after: Context): Context {
  const isSame = (field: string) => JSON.stringify(before[field]) === JSON.stringify(after[field])
  return Object.fromEntries(Object.entries(after).filter(([field]) => !isSame(field)))
}

/** Throws `validation_failed` (422) for input that does not match the statechart, and the errors of its facts. */
export async function simulate(
  origin: Origin,
  request: SimulationOfActor | SimulationOfMachine,
  now: number,
): Promise<Simulation> {
  const { table, effects, facts = async () => ({}) } = origin
  const { copy, birth, start } = beginCopy(origin, request, now)
  const steps: Simulation['steps'] = []
  let shown = start.context
  let changed = 0
  const turn = slices()

  const add = async (step: number | null, { at, refusal, effects: asked, ...outcome }: CopyStep) => {
    const changes = changesBetween(shown, copy.shown)
    shown = copy.shown
    changed += JSON.stringify(changes).length
    steps.push({
      step,
      ...outcome,
      at: timestamp(at),
      effects: asked.map((effect) => ({ effect, done: doneBy(effects[effect]) })),
      changes,
      timers: copy.timers.map(({ event, dueAt }) => presentTimer({ name: event, due_at: dueAt })),
      refusal: refusal && { status: refusal.status, code: refusal.code, message: refusal.message },
    })
    await turn()
  }
  const isFull = () => steps.length >= rowsMax || changed > changesMax

  /** Advances the clock; false if the answer has no room for all deadlines. */
  const wait = async (step: number, until: number): Promise<boolean> => {
    for (;;) {
      const come = copy.reach(until)
      if (!come) return true
      await add(step, come)
      if (isFull()) return false
    }
  }

  if (birth) await add(null, birth)
  /** The facts of an event, read once in a request. */
  const known = new Map<string, object>()
  let complete = true
  for (const [step, { waitMs = 0, event, assume = {} }] of request.steps.entries()) {
    complete = !isFull() && (await wait(step, copy.at + waitMs))
    if (!complete) break
    if (event === undefined) continue
    const given = eventOf(event)
    const details = known.get(given.type) ?? (await facts(given.type))
    known.set(given.type, details)
    await add(step, copy.send({ ...details, ...given }, assume))
  }
  const nextEvents = copy.state === null ? [] : lookupsOf(table).nextEvents(copy.state)
  return {
    kind: origin.kind,
    machineVersion: table.version,
    start,
    steps,
    end: { ...standingOf(copy), nextEvents },
    complete,
  }
}
