/** A workflow run played by hand: events in, decisions out; nothing is stored. */
import {
  compensationOf,
  type PlannedStep,
  type WorkflowRunContext,
  type WorkflowRunEvent,
  type WorkflowRunState,
  workflowRunMachine,
} from '../../../machines/workflow-run.ts'
import { begin, type Decision, decide } from '../../../src/runtime/decisions/decide.ts'
import { compile } from '../../../src/runtime/decisions/table.ts'

export const table = compile(workflowRunMachine)

export interface StepGiven {
  after?: readonly string[]
  maxAttempts?: number
  backoffMs?: number
  continues?: boolean
  sleepMs?: number | undefined
  timeoutMs?: number | undefined
  /** Whether it has a compensation. */
  undo?: boolean
  workflow?: string
  /** Of a step with a list. */
  concurrency?: number | undefined
}

/** An event without its stamp. */
export type Played = WorkflowRunEvent extends infer Event
  ? Event extends unknown
    ? Omit<Event, 'at' | 'chance'>
    : never
  : never

export const startedAt = 1_000_000

export function planOf(given: Record<string, StepGiven>): PlannedStep[] {
  const ids = Object.keys(given)
  const steps = Object.entries(given).map(([id, step]): PlannedStep => {
    const {
      after = [],
      maxAttempts = 1,
      backoffMs = 0,
      continues = false,
      sleepMs,
      timeoutMs,
      workflow,
      concurrency,
    } = step
    return {
      id,
      operation: (sleepMs ?? timeoutMs ?? workflow) === undefined ? `shop.${id}` : null,
      after: after.map((other) => ids.indexOf(other)),
      maxAttempts,
      backoffMs,
      continues,
      ...(sleepMs !== undefined && { sleepMs }),
      ...(timeoutMs !== undefined && { timeoutMs }),
      ...(workflow !== undefined && { workflow }),
      ...(concurrency !== undefined && { concurrency }),
    }
  })
  const undone = steps.flatMap(({ id, maxAttempts, backoffMs }, compensates): PlannedStep[] => {
    const of = { id: compensationOf(id), operation: `shop.un-${id}`, after: [], maxAttempts, backoffMs }
    return given[id]?.undo ? [{ ...of, continues: true, compensates }] : []
  })
  return [...steps, ...undone]
}

export class Play {
  at = startedAt
  decision: Decision
  /** The accepted events, with the state that each left. */
  readonly history: { state: string; event: { type: string; at: number; chance: number } }[] = []
  /** Every requested attempt, as `step#attempt`, in order. */
  readonly begun: string[] = []

  constructor(given: Record<string, StepGiven>, { hasOutput = false, bytes = 2 } = {}) {
    this.decision = begin(table, { steps: planOf(given), bytes, hasOutput, at: this.at })
    this.#note()
  }

  get state(): WorkflowRunState {
    return this.decision.state as WorkflowRunState
  }

  get context(): WorkflowRunContext {
    return this.decision.context as unknown as WorkflowRunContext
  }

  /** The requests of the last event. */
  get effects(): string[] {
    return this.decision.effects.map(({ name }) => name)
  }

  step(id: string) {
    return this.context.steps[this.context.plan.findIndex((step) => step.id === id)]!
  }

  plan(id: string) {
    return this.context.plan.find((step) => step.id === id)!
  }

  /** `a:succeeded b:pending` */
  get steps(): string {
    const own = this.context.plan.filter(({ compensates, element }) => (compensates ?? element) === undefined)
    return own.map(({ id }) => `${id}:${this.step(id).state}`).join(' ')
  }

  /** `succeeded pending`, of the elements of a step. */
  elements(id: string): string {
    const of = this.context.plan.findIndex((step) => step.id === id)
    const elements = this.context.plan.filter(({ element }) => element === of)
    return elements.map((element) => this.step(element.id).state).join(' ')
  }

  /** `a:succeeded b:pending`, of the compensations. */
  get undone(): string {
    const undone = this.context.plan.filter(({ compensates }) => compensates !== undefined)
    return undone
      .map(({ id, compensates }) => `${this.context.plan[compensates!]!.id}:${this.step(id).state}`)
      .join(' ')
  }

  /** Whether the chart has a row for the event; if so, the run moves on. */
  tries(event: Played | { type: 'lookAgain' }, afterMs = 1): boolean {
    this.at += afterMs
    const { state, context } = this.decision
    const stamped = { ...event, at: this.at, chance: 0 }
    const next = decide(table, state, context, stamped)
    if (!next) return false
    this.history.push({ state, event: stamped })
    this.decision = next
    this.#note()
    return true
  }

  takes(event: Played | { type: 'lookAgain' }, afterMs?: number): this {
    if (!this.tries(event, afterMs)) throw new Error(`No row for ${event.type} while ${this.state}: ${this.steps}`)
    return this
  }

  /** Reports this status of the step's current attempt. */
  report(
    stepId: string,
    invocation: Extract<Played, { type: 'reported' }>['invocation'],
    { attempt = this.step(stepId).attempts, bytes = 1 } = {},
  ): this {
    const cause = invocation === 'succeeded' ? null : { code: 'tool_error', message: `${stepId} is ${invocation}.` }
    return this.takes({ type: 'reported', stepId, attempt, invocation, bytes, cause })
  }

  #note() {
    const begins = this.decision.effects.find(({ name }) => name === 'beginSteps')
    const { steps } = (begins?.params ?? { steps: [] }) as { steps: { stepId: string; attempt: number }[] }
    for (const { stepId, attempt } of steps) this.begun.push(`${stepId}#${attempt}`)
  }
}

/** b depends on a. */
export const chain = { a: {}, b: { after: ['a'] } }

export const cause = { code: 'tool_error', message: 'No.' }
/** A report about the first attempt of a, or about another one. */
export const report = (invocation: string, attempt = 1) =>
  ({ type: 'reported', stepId: 'a', attempt, invocation, bytes: 1, cause }) as Played
/** A report that a was not even begun. */
export const refused = { type: 'refused', stepId: 'a', attempt: 1, cause } as const
/** A resolution of an unknown step. */
export const resolution = (outcome: 'succeeded' | 'failed' | 'retry', stepId = 'a') =>
  ({ type: 'resolveUnknown', stepId, outcome, bytes: 1 }) as const
