/** The statechart and the reference, which get the same events and have to agree after each. */
import type { WorkflowRunContext } from '../../../../machines/workflow-run.ts'
import type { WorkflowSource } from '../../../../src/authoring/definitions/source.ts'
import { planOf } from '../../../../src/automation/workflows/plan.ts'
import { begin, type Decision, decide } from '../../../../src/runtime/decisions/decide.ts'
import { table } from '../workflow-runs.ts'
import type { Choice } from './definitions.ts'
import { happeningOf } from './happenings.ts'
import { Reference } from './reference.ts'
import { type Happening, isActive, type Workflow } from './unit.ts'

const paramsBytes = 2

export class Duel {
  #at = 1_000_000
  #decision: Decision
  #timerAt = 0
  readonly #reference: Reference
  /** Every attempt that the statechart has started. */
  readonly #requested = new Set<string>()
  /** What it was told to withdraw. */
  #withdrawn = new Set<string>()
  #hasAskedForOutput = false
  #last: Happening = { type: 'timer' }
  /** For the message of a failure. */
  readonly #log: string[] = []

  constructor(workflow: Workflow) {
    this.#reference = new Reference(workflow, paramsBytes, this.#at)
    const steps = planOf(workflow as WorkflowSource)
    const input = { steps, bytes: paramsBytes, hasOutput: workflow.output !== undefined, at: this.#at }
    this.#decision = begin(table, input)
    this.#agree(true, false)
  }

  next(choice: Choice) {
    const isAgain = choice.how % 11 === 0
    const event = isAgain ? this.#last : happeningOf(this.#reference, choice)
    // a timer never comes early
    if (event.type === 'timer') this.#at = Math.max(this.#at, this.#timerAt)
    this.#at += choice.afterMs
    const hadEnded = this.#reference.hasEnded
    const taken = this.#reference.takes(event, this.#at)
    const { state, context } = this.#decision
    const next = decide(table, state, context, { ...translated(this.#reference, event), at: this.#at, chance: 0 })
    this.#log.push(`${state} ${this.#at} ${JSON.stringify(event)}: ${taken}`)
    this.#says('acceptance', next !== undefined, taken !== 'refused')
    this.#last = event
    if (!next) return
    if (taken === 'ignored') {
      this.#says(
        'effects of nothing',
        next.effects.filter(({ name }) => name !== 'beginSteps'),
        [],
      )
    }
    this.#decision = next
    this.#agree(next.moved, hadEnded)
  }

  #agree(moved: boolean, hadEnded: boolean) {
    const reference = this.#reference
    const { state, effects, timersStarted } = this.#decision
    const context = this.#decision.context as unknown as WorkflowRunContext
    if (moved) this.#timerAt = timersStarted[0] ? this.#at + timersStarted[0].delayMs : Number.POSITIVE_INFINITY
    this.#says('state', state, reference.state)
    const units = context.plan.map(({ id }, place) => {
      const step = context.steps[place]!
      const { state: of, attempts, error } = step
      const until = of === 'waiting' ? step.until : null
      return { id, state: of, attempts, error: error?.code ?? null, until }
    })
    const expected = reference.units.map(({ id, state: of, attempts, error, until }) => {
      return { id, state: of, attempts, error, until: of === 'waiting' ? until : null }
    })
    const byId = (one: { id: string }, other: { id: string }) => (one.id < other.id ? -1 : 1)
    this.#says('steps', units.sort(byId), expected.sort(byId))
    this.#says('bytes', context.bytes, reference.bytes)
    this.#says('end', context.endedAt !== null, reference.hasEnded)
    const step = /Step (\S+) failed|outcome of step (\S+) is/.exec(context.cause?.message ?? '')
    const cause = context.cause && [context.cause.code, ...(step ? [step[1] ?? step[2]] : [])].join(' ')
    this.#says('cause', cause, reference.cause)
    this.#agreeOnEffects(effects, hadEnded)
    const dueAt = Math.max(this.#at, reference.dueAt ?? Number.POSITIVE_INFINITY)
    if (this.#timerAt > dueAt) this.#says('timer', this.#timerAt, dueAt)
    this.#lives()
  }

  #agreeOnEffects(effects: Decision['effects'], hadEnded: boolean) {
    const reference = this.#reference
    const asked = effects.flatMap(({ name, params }) =>
      name === 'beginSteps' ? (params as { steps: { stepId: string; attempt: number }[] }).steps : [],
    )
    const keys = asked.map(({ stepId, attempt }) => `${stepId}#${attempt}`)
    const begun = keys.filter((key) => !this.#requested.has(key))
    this.#says('started', begun.sort(), [...reference.started].sort())
    for (const key of begun) this.#requested.add(key)
    this.#says(
      'looks',
      reference.looks.filter((key) => !keys.includes(key)),
      [],
    )
    const queried = keys.filter((key) => {
      const { state, attempts } = reference.unit(key.split('#')[0]!)
      return (
        `${attempts}` !== key.split('#')[1] ||
        !(state === 'running' || state === 'waiting' || state === 'waiting_approval')
      )
    })
    this.#says('asked about what is over', queried, [])

    const names = effects.map(({ name }) => name)
    const unwanted = reference.unwanted.filter((key) => !this.#withdrawn.has(key))
    if (unwanted.length > 0) this.#says(`withdrawal of ${unwanted}`, names.includes('withdrawApprovals'), true)
    this.#withdrawn = new Set(reference.unwanted)
    if (reference.renders && !this.#hasAskedForOutput) this.#says('rendering', names.includes('renderOutput'), true)
    if (!reference.renders) this.#says('no rendering', names.includes('renderOutput'), false)
    this.#hasAskedForOutput = reference.renders
    this.#says('report to the run above', names.includes('tellParent'), reference.hasEnded && !hadEnded)
  }

  /** A run that has not ended goes on by itself, or says that a person must do something. */
  #lives() {
    const { units, state, renders, hasEnded } = this.#reference
    const isOpen = units.some(
      (unit) => unit.state === 'waiting' || (isActive(unit) && !unit.listed) || unit.retryAt !== null,
    )
    const hasNext = isOpen || renders || hasEnded || state === 'unknown'
    this.#says('something to come', hasNext, true)
  }

  #says(what: string, actual: unknown, expected: unknown) {
    if (Bun.deepEquals(actual, expected)) return
    const shown = [`the statechart: ${JSON.stringify(actual)}`, `the reference: ${JSON.stringify(expected)}`]
    const steps = this.#reference.workflow.steps.map((step) => JSON.stringify(step))
    throw new Error(`They do not agree on: ${what}\n${[...shown, ...steps, ...this.#log].join('\n')}`)
  }
}

/** The event as the statechart has it. */
function translated(reference: Reference, event: Happening): { type: string } & Record<string, unknown> {
  const cause = (code: string) => ({ code, message: 'No.' })
  switch (event.type) {
    case 'reported': {
      const { unit: stepId, attempt, outcome, bytes, code } = event
      const given = outcome === 'succeeded' ? { bytes, cause: null } : { bytes: 0, cause: cause(code) }
      return { type: 'reported', stepId, attempt, invocation: outcome, ...given }
    }
    case 'refused':
      return { type: 'refused', stepId: event.unit, attempt: event.attempt, cause: cause(event.code) }
    case 'leftOut':
      return { type: 'leftOut', stepId: event.unit, attempt: event.attempt }
    case 'listed':
      return { type: 'counted', stepId: event.unit, attempt: event.attempt, count: event.count }
    case 'waits': {
      const { of } = reference.unit(event.unit)
      const awaits = { event: 'paid', correlation: event.unit }
      return {
        type: 'waits',
        stepId: event.unit,
        attempt: event.attempt,
        ...(reference.step(of).waitFor && { awaits }),
      }
    }
    case 'notRendered':
      return { type: 'renderingFailed', cause: cause(event.code) }
    case 'resolve':
      return { type: 'resolveUnknown', stepId: event.unit, outcome: event.outcome, bytes: event.bytes }
    case 'timer':
      return { type: 'lookAgain' }
    default:
      return event
  }
}
