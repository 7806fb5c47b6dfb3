/** Events that steps of workflows wait for. Source: contract 14, "Workflows". */
import { type Static, Type } from '@sinclair/typebox'
import {
  deleteWorkflowEvent,
  insertWorkflowEvent,
  listOldWorkflowEvents,
  listWaitsGiven,
} from '../../../storage/automation/workflow-events.ts'
import { withinBound } from '../../../storage/bounds.ts'
import { newId } from '../../../storage/ids.ts'
import type { BackgroundStore, Store } from '../../../storage/store.ts'
import { EventName } from '../../authoring/definitions/workflows/schema.ts'
import { deletionInProgress, invalid, permissionDenied } from '../../platform/http/answers/errors.ts'
import { commitOr } from '../../platform/http/changes/commit.ts'
import type { RequestRecord } from '../../platform/http/changes/request-record.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { Id, Timestamp } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import { forEach, inBatches } from '../../platform/operating/batches.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { fewAtOnce } from '../../platform/time/few-at-once.ts'
import { eventsKeptMs } from './actor.ts'
import type { WorkflowsPath } from './schema.ts'
import type { WorkflowWork } from './workflow-work.ts'

export const NewWorkflowEvent = Type.Object(
  {
    event: EventName,
    correlation: Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: '^[^\\u0000-\\u001f\\u007f-\\u009f]+$',
      description: 'Which runs it is for: steps that wait for it name the same. No control characters.',
      examples: ['A-17'],
    }),
    data: Type.Optional(
      Type.Unknown({
        description: 'The output of the steps that it ends, at most 65,536 characters as JSON; default: null.',
      }),
    ),
  },
  { $id: 'NewWorkflowEvent', description: 'An event for steps of workflows that wait for it.' },
)
export type NewWorkflowEvent = Static<typeof NewWorkflowEvent>

export const WorkflowEvent = Type.Object(
  { id: Id('wev'), event: Type.String(), correlation: Type.String(), createdAt: Timestamp() },
  { $id: 'WorkflowEvent', description: 'An event that was accepted.' },
)
export type WorkflowEvent = Static<typeof WorkflowEvent>

const dataCharactersMax = 65_536

export class WorkflowEvents {
  constructor(private readonly parts: { store: Store; clock: Pick<Clock, 'now'>; workflowWork: WorkflowWork }) {}

  /**
   * Gives the event to every step of the Environment that waits for it, or keeps it. Throws `permission_denied` for a key
   * of one Agent, 422 for too much data, `limit_exceeded`, `deletion_in_progress`.
   */
  async accept(
    { organizationId, scope }: Caller,
    { environmentId }: WorkflowsPath,
    { event, correlation, data = null }: NewWorkflowEvent,
    record: RequestRecord,
  ): Promise<WorkflowEvent> {
    // it goes to runs of every Agent
    if (scope.agentId) throw permissionDenied('agents:manage-workflows')
    const text = JSON.stringify(data)
    if (text.length > dataCharactersMax) {
      const message = `May have at most ${dataCharactersMax.toLocaleString('en')} characters as JSON; these are ${text.length.toLocaleString('en')}.`
      throw invalid([{ path: '/body/data', message }])
    }
    const { store, clock, workflowWork } = this.parts
    const at = clock.now()
    const id = newId('wev', at)
    const answer = { id, event, correlation, createdAt: timestamp(at) }
    const of = { organization_id: organizationId, environment_id: environmentId }
    await commitOr(store, { stale: deletionInProgress }, [
      ...insertWorkflowEvent(store, { id, ...of, event, correlation, data: text, created_at: at }),
      withinBound(store, 'keptWorkflowEvents', organizationId, environmentId),
      ...record({ data: answer }),
    ])
    // stored effects do the same
    void this.#tell(id).catch(() => workflowWork.eventGiven())
    return answer
  }

  async #tell(eventId: string): Promise<void> {
    const { store, workflowWork } = this.parts
    const given = await store.all(listWaitsGiven(store, { eventId }))
    await fewAtOnce(given, ({ workflow_run_id: runId, step_id: stepId, attempt }) =>
      workflowWork.beginSteps(runId, [{ stepId, attempt }]),
    )
  }
}

/** Deletes up to `limit` events that were kept long enough; returns how many. Called periodically. */
export const pruneWorkflowEvents = (
  { store, clock }: { store: BackgroundStore; clock: Pick<Clock, 'now'> },
  limit: number,
): Promise<number> =>
  inBatches(limit, async (some) =>
    forEach(
      await store.all(listOldWorkflowEvents(store, { until: clock.now() - eventsKeptMs, limit: some })),
      ({ id }) => store.commit([deleteWorkflowEvent(store, { id })], null),
    ),
  )
