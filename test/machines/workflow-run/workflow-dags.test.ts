/** Invariants of workflows of any shape and with any outcomes of their steps. Source: contract 6. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { type AnyEventObject, initialTransition, transition } from 'xstate'
import { dueAt } from '../../../machines/workflow/standing.ts'
import { compensatedBy, compensationOf, readElement, workflowRunMachine } from '../../../machines/workflow-run.ts'
import { leafNode, leafOf } from '../../support/nested-states.ts'
import { Play, planOf, type StepGiven, startedAt } from './workflow-runs.ts'

type Outcome = 'succeeded' | 'failed' | 'rejected' | 'unknown' | 'pending_approval' | 'running' | 'leftOut'

const dag = fc
  .array(
    fc.record({
      after: fc.array(fc.nat({ max: 7 }), { maxLength: 3 }),
      maxAttempts: fc.integer({ min: 1, max: 3 }),
      backoffMs: fc.constantFrom(0, 10, 100),
      continues: fc.boolean(),
      undo: fc.boolean(),
      concurrency: fc.option(fc.integer({ min: 1, max: 2 }), { nil: undefined, freq: 3 }),
      waits: fc.option(fc.record({ for: fc.constantFrom('sleepMs', 'timeoutMs'), ms: fc.constantFrom(10, 100) }), {
        nil: undefined,
        freq: 3,
      }),
    }),
    { minLength: 1, maxLength: 8 },
  )
  .map((steps) =>
    Object.fromEntries(
      steps.map(({ after, waits, undo, concurrency, ...step }, place): [string, StepGiven] => {
        // only on steps before it: no cycles
        const others = place === 0 ? [] : [...new Set(after.map((other) => other % place))]
        return [
          `s${place}`,
          {
            ...step,
            ...(waits ? { [waits.for]: waits.ms } : concurrency ? { concurrency } : { undo }),
            after: others.map((other) => `s${other}`),
          },
        ]
      }),
    ),
  )

/** The next event: which of the outstanding steps it is for, and whether it is repeated. */
const happening = fc.record({
  which: fc.nat(),
  outcome: fc.constantFrom<Outcome>(
    'succeeded',
    'succeeded',
    'succeeded',
    'failed',
    'rejected',
    'unknown',
    'pending_approval',
    'running',
    'leftOut',
  ),
  again: fc.boolean(),
  resolution: fc.constantFrom('succeeded' as const, 'failed' as const, 'retry' as const),
})

interface Happening {
  which: number
  outcome: Outcome
  again: boolean
  resolution: 'succeeded' | 'failed' | 'retry'
}

const outstanding = (play: Play) =>
  play.context.plan
    .map(({ id }) => id)
    // a step with elements ends with them
    .filter((id) => ['running', 'waiting_approval'].includes(play.step(id).state) && !play.step(id).counted)

const callable = (play: Play, stepId: string) => play.plan(stepId).operation !== null
const begunWait = (play: Play, stepId: string) => {
  const awaits = play.plan(stepId).timeoutMs === undefined ? {} : { awaits: { event: 'paid', correlation: stepId } }
  return { type: 'waits' as const, stepId, attempt: play.step(stepId).attempts, ...awaits }
}

/** The history of the steps, and whether it was valid. */
class Witness {
  readonly #begun = new Set<string>()
  readonly #succeeded = new Set<string>()
  readonly #leftOut = new Set<string>()
  /** Steps whose compensation has succeeded. */
  readonly #undone = new Set<string>()
  /** In the order of completion. */
  readonly #completed: string[] = []
  #seen = 0

  constructor(private readonly play: Play) {
    this.look()
  }

  /** After each event: what began, began once, and after everything it waits for. */
  look() {
    const { play } = this
    const { plan } = play.context
    for (const begun of play.begun.slice(this.#seen)) {
      const { timeoutMs } = play.plan(begun.split('#')[0]!)
      // one that waits for an event is looked at again
      if (timeoutMs === undefined) expect(this.#begun.has(begun)).toBe(false)
      this.#begun.add(begun)
      const compensated = compensatedBy(begun.split('#')[0]!)
      if (compensated !== undefined) this.#compensates(compensated)
      for (const place of plan.find(({ id }) => begun.startsWith(`${id}#`))!.after) {
        const { id, continues } = plan[place]!
        const { state, leftOut } = play.step(id)
        expect(['succeeded', ...(continues ? ['failed'] : []), ...(leftOut ? ['skipped'] : [])]).toContain(state)
      }
    }
    this.#seen = play.begun.length
    for (const { id } of plan) {
      const { state, until } = play.step(id)
      // nothing waits beyond its time, or when nothing else can follow
      if (state === 'waiting') expect(['running', 'waiting', 'unknown']).toContain(play.state)
      const { sleepMs, compensates } = play.plan(id)
      if (state === 'waiting' && sleepMs !== undefined) expect(until! - play.step(id).startedAt!).toBe(sleepMs)
      if (state === 'succeeded' && compensates !== undefined) this.#undone.add(plan[compensates]!.id)
      const hasCompleted = state === 'succeeded' && compensates === undefined && !this.#completed.includes(id)
      if (hasCompleted) this.#completed.push(id)
      if (state === 'running' && compensates === undefined) this.#forget(id)
      if (state === 'succeeded') this.#succeeded.add(id)
      // what has succeeded once is done again only if it was compensated, and what was left out never at all
      else if (compensates === undefined) expect(this.#succeeded.has(id) && !this.#undone.has(id)).toBe(false)
      if (play.step(id).leftOut) this.#leftOut.add(id)
      expect([play.step(id).state === 'skipped', this.#leftOut.has(id)]).not.toEqual([false, true])
    }
  }

  /** A compensation begins when nothing else is open, and nothing that was done later is left. */
  #compensates(id: string) {
    const { play } = this
    expect(['running', 'canceling']).toContain(play.state)
    const open = play.context.plan.filter((step) =>
      ['running', 'waiting', 'waiting_approval'].includes(play.step(step.id).state),
    )
    expect(open.map((step) => step.id)).toEqual([compensationOf(id)])
    const place = this.#completed.indexOf(id)
    // one that is not noted yet has just been done
    for (const later of place === -1 ? [] : this.#completed.slice(place + 1)) {
      const undo = play.context.plan.find((step) => step.id === compensationOf(later))
      if (undo) expect(['succeeded', 'failed', 'unknown']).toContain(play.step(undo.id).state)
    }
  }

  /** The step is done again. */
  #forget(id: string) {
    const place = this.#completed.indexOf(id)
    if (place !== -1) this.#completed.splice(place, 1)
    this.#undone.delete(id)
    this.#succeeded.delete(id)
  }
}

/** Plays one event, as a waiting component would; false when nothing is left to do. */
function goOn(play: Play, { which, outcome, again, resolution }: Happening): boolean {
  const ids = outstanding(play)
  const awaiting = play.context.plan.find(
    ({ id, timeoutMs }) => timeoutMs !== undefined && play.step(id).state === 'waiting',
  )
  const unknown = play.context.plan.find(
    ({ id, compensates }) => play.step(id).state === 'unknown' && compensates === undefined,
  )
  const stepId = ids[which % Math.max(1, ids.length)]
  if (stepId !== undefined) {
    const { attempts: attempt } = play.step(stepId)
    // a step that waits is never called; the time of one that has waited for an event is over
    if (!callable(play, stepId) && outcome !== 'leftOut') {
      if (play.step(stepId).until === undefined) {
        play.takes(begunWait(play, stepId))
        if (again) play.tries(begunWait(play, stepId))
      } else play.report(stepId, outcome === 'succeeded' ? 'succeeded' : 'failed')
      return true
    }
    const { concurrency } = play.plan(stepId)
    // a condition that held once holds again
    if (concurrency !== undefined && (outcome !== 'leftOut' || attempt > 1)) {
      // `again`: looked at while its elements run
      const list = { type: 'counted' as const, stepId, attempt, count: which % 4 }
      play.takes(list)
      if (again) play.tries(list)
      return true
    }
    // a compensation or an element has no condition, and a time limit only for a person
    if ((compensatedBy(stepId) ?? readElement(stepId)) !== undefined && outcome === 'leftOut') {
      play.report(stepId, 'failed')
      return true
    }
    // a condition is weighed before the step is begun in earnest
    if (outcome === 'leftOut' && play.step(stepId).state === 'running') play.takes({ type: 'leftOut', stepId, attempt })
    else play.report(stepId, outcome === 'leftOut' ? 'succeeded' : outcome, { attempt })
    if (outcome === 'leftOut') return true
    if (again) play.tries({ type: 'reported', stepId, attempt, invocation: outcome, bytes: 1, cause: null })
  } else if (awaiting !== undefined && which % 2 === 0) play.report(awaiting.id, 'succeeded')
  else if (unknown) play.takes({ type: 'resolveUnknown', stepId: unknown.id, outcome: resolution, bytes: 1 })
  else if (dueAt(play.context) !== null && play.state !== 'unknown') play.takes({ type: 'lookAgain' }, 100)
  else if (play.state === 'unknown' || play.state === 'failed') play.takes({ type: 'resume' })
  else return false
  return true
}

test('every step begins after its dependencies, each attempt once, and succeeded steps stay so', () => {
  fc.assert(
    fc.property(dag, fc.array(happening, { maxLength: 60 }), (steps, happenings) => {
      const play = new Play(steps)
      const witness = new Witness(play)
      for (const each of happenings) {
        if (!goOn(play, each)) break
        witness.look()
        expect(play.context.endedAt !== null).toBe(['completed', 'failed', 'canceled'].includes(play.state))
      }
    }),
    { numRuns: 500 },
  )
})

test('a run whose steps finally succeed is completed, whatever happened before', () => {
  const good = { which: 0, outcome: 'succeeded', again: false, resolution: 'succeeded' } as const
  fc.assert(
    fc.property(dag, fc.array(happening, { maxLength: 30 }), (steps, happenings) => {
      const play = new Play(steps)
      for (const each of happenings) if (!goOn(play, each)) break
      for (let left = 200; goOn(play, good); left -= 1) expect(left).toBeGreaterThan(0)
      expect(play.state).toBe('completed')
      const { plan } = play.context
      const isGood = (id: string) => play.step(id).state === 'succeeded' || play.step(id).leftOut
      expect(plan.filter(({ id, continues }) => !isGood(id) && !continues)).toEqual([])
      expect(play.undone).not.toMatch(/running|succeeded|waiting/)
    }),
    { numRuns: 500 },
  )
})

test('a canceled run ends when its begun steps have ended, and begins nothing', () => {
  fc.assert(
    fc.property(
      dag,
      fc.array(happening, { maxLength: 20 }),
      fc.array(happening, { minLength: 8, maxLength: 8 }),
      (steps, before, after) => {
        const play = new Play(steps)
        for (const each of before) if (!goOn(play, each)) break
        if (play.context.endedAt !== null) return
        play.takes({ type: 'cancel' })
        const own = () => play.begun.filter((begun) => compensatedBy(begun.split('#')[0]!) === undefined)
        const begun = own().length
        for (let index = 0; play.state === 'canceling'; index += 1) {
          const each = after[index % after.length]!
          expect(index).toBeLessThan(200)
          const [stepId] = outstanding(play)
          if (stepId === undefined) {
            play.takes({ type: 'lookAgain' }, 100)
            continue
          }
          if (play.plan(stepId).concurrency !== undefined) {
            play.takes({ type: 'counted', stepId, attempt: play.step(stepId).attempts, count: each.which % 3 })
            continue
          }
          if (!callable(play, stepId)) {
            if (play.step(stepId).until === undefined) play.takes(begunWait(play, stepId))
            else play.report(stepId, 'failed')
            continue
          }
          const isEnd = !['pending_approval', 'running', 'leftOut'].includes(each.outcome)
          play.report(stepId, isEnd ? (each.outcome as 'failed') : 'rejected')
        }
        expect(play.state).toBe('canceled')
        expect(own()).toHaveLength(begun)
        // what was done and can be taken back was, or could not be
        for (const { id, compensates } of play.context.plan) {
          if (compensates === undefined || play.step(play.context.plan[compensates]!.id).state !== 'succeeded') continue
          expect(['succeeded', 'failed', 'unknown']).toContain(play.step(id).state)
        }
      },
    ),
    { numRuns: 300 },
  )
})

test('XState itself decides like the table', () => {
  fc.assert(
    fc.property(dag, fc.array(happening, { maxLength: 30 }), (steps, happenings) => {
      const play = new Play(steps)
      for (const each of happenings) if (!goOn(play, each)) break
      const input = { steps: planOf(steps), bytes: 2, hasOutput: false, at: startedAt }
      let [snapshot] = initialTransition(workflowRunMachine, input)
      for (const { state, event } of play.history) {
        const type =
          event.type === 'lookAgain' ? `xstate.after.lookAgain.${leafNode(workflowRunMachine, state).id}` : event.type
        ;[snapshot] = transition(workflowRunMachine, snapshot, { ...event, type } as AnyEventObject as never)
      }
      expect([leafOf(snapshot.value), snapshot.context]).toEqual([play.state, play.context])
    }),
    { numRuns: 200 },
  )
})
