/** Steps that wait for an event (`waitFor`). Source: contract 14, "Workflows". */

import type { Cause } from '../../../../machines/words.ts'
import type { StepToBegin } from '../../../../machines/workflow-run.ts'
import { findWorkflowWait, listOpenWaits } from '../../../../storage/automation/workflow-events.ts'
import type { Store } from '../../../../storage/store.ts'
import type { WorkflowRunRow } from '../../../../storage/tables.ts'
import type { WorkflowStep } from '../../../authoring/definitions/source.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Actors } from '../../../runtime/actors.ts'
import { report, reportStep } from '../reports.ts'
import { renderTemplate, TooMuchRendered, type WorkflowValues } from '../templates.ts'

type WaitFor = NonNullable<WorkflowStep['waitFor']>

/** What is rendered as JSON may be longer than the text itself. */
const correlationCharactersMax = 2_000

const noCorrelation: Cause = {
  code: 'invalid_correlation',
  message: 'The correlation must be a text or a number of 1 to 256 characters, without control characters.',
}
/** One unit of work gives an event to all steps that wait for it. */
const waitsMax = 1_000
const tooManyWait: Cause = {
  code: 'too_many_waits',
  message: `${waitsMax.toLocaleString('en')} steps of the Environment wait for this event with this correlation already.`,
}
const timedOut: Cause = { code: 'wait_timed_out', message: 'The event has not come in time.' }

/** The event that a step waits for; undefined if its correlation cannot be one. */
function awaitedOf({ event, correlation }: WaitFor, values: WorkflowValues) {
  try {
    const value = renderTemplate(correlation, values, correlationCharactersMax)
    const text = typeof value === 'number' ? String(value) : value
    const fits = typeof text === 'string' && text.length <= 256 && /^\P{Cc}+$/u.test(text) && text.isWellFormed()
    return fits ? { event, correlation: text } : undefined
  } catch (error) {
    if (error instanceof TooMuchRendered) return undefined
    throw error
  }
}

export class WorkflowWaits {
  /** How many steps are about to wait for the same event. */
  readonly #beginning = new Map<string, number>()

  constructor(private readonly parts: { store: Store; clock: Pick<Clock, 'now'>; actors: Actors }) {}

  /** Waits for the event of the step, or reports that it has come, or has not come in time. */
  async look(
    row: WorkflowRunRow,
    waitFor: WaitFor,
    values: WorkflowValues,
    { stepId, attempt }: StepToBegin,
  ): Promise<void> {
    const { store, actors, clock } = this.parts
    const of = { workflowRunId: row.id, stepId, attempt }
    const wait = await store.first(findWorkflowWait(store, { workflowRunId: row.id, stepId }))
    if (wait?.attempt !== attempt) {
      const awaited = awaitedOf(waitFor, values)
      if (!awaited) return report(actors, row.id, { type: 'refused', stepId, attempt, cause: noCorrelation })
      const others = { environment_id: row.environment_id, ...awaited, limit: waitsMax }
      // those that begin at the same time count too, before they are stored
      const beginning = JSON.stringify(others)
      const ahead = this.#beginning.get(beginning) ?? 0
      this.#beginning.set(beginning, ahead + 1)
      try {
        const isFull = (await store.all(listOpenWaits(store, others))).length + ahead >= waitsMax
        if (isFull) return await reportStep(actors, of, { state: 'failed', output: null, error: tooManyWait })
        return await report(actors, row.id, { type: 'waits', stepId, attempt, awaits: awaited })
      } finally {
        const left = (this.#beginning.get(beginning) ?? 1) - 1
        if (left > 0) this.#beginning.set(beginning, left)
        else this.#beginning.delete(beginning)
      }
    }
    if (wait.data !== null)
      return reportStep(actors, of, { state: 'succeeded', output: JSON.parse(wait.data), error: null })
    if (wait.until_at <= clock.now()) return reportStep(actors, of, { state: 'failed', output: null, error: timedOut })
  }
}
