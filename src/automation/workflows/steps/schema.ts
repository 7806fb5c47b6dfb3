/** The schemas of the steps of a run, and their presentation. Source: contract 6, `WorkflowRun`. */
import { type Static, Type } from '@sinclair/typebox'
import {
  type PlannedStep,
  reasonOf,
  type StepProgress,
  stepReasonCodes,
  type WorkflowRunContext,
  workflowStepStates,
} from '../../../../machines/workflow-run.ts'
import { Id, nullable, oneOf, Timestamp } from '../../../platform/http/schema.ts'
import { timestampOrNull } from '../../../platform/http/timestamp.ts'

const StepError = nullable(Type.Object({ code: Type.String(), message: Type.String() }))

const StepReason = Type.Object(
  { code: oneOf(stepReasonCodes), message: Type.String() },
  {
    description:
      'Why the step is `skipped` or `canceled`: its `when` does not hold (`condition_false`), a step that it depends on has ' +
      'failed (`dependency_failed`), or the run has failed or was canceled before the step had ended.',
  },
)

const WorkflowCompensation = Type.Object(
  {
    operation: Type.String({ examples: ['payments.refund'] }),
    state: oneOf(['pending', 'running', 'waiting_approval', 'succeeded', 'failed', 'unknown']),
    attempts: Type.Integer({ minimum: 1, description: 'Attempts; each is an invocation of the operation.' }),
    error: StepError,
    startedAt: nullable(Timestamp()),
    endedAt: nullable(Timestamp()),
  },
  { $id: 'WorkflowCompensation', description: 'The compensation of the step, since the run failed or was canceled.' },
)

const WorkflowElement = Type.Object(
  {
    index: Type.Integer({ minimum: 0 }),
    state: oneOf(workflowStepStates),
    attempts: Type.Integer({ minimum: 0 }),
    error: StepError,
    childWorkflowRunId: nullable(Id('wfr')),
  },
  { $id: 'WorkflowElement', description: 'A step for one item of a list.' },
)

export const WorkflowStep = Type.Object(
  {
    stepId: Type.String({ examples: ['charge-card'] }),
    operation: nullable(
      Type.String({
        description: 'null: the step runs a workflow, sleeps, or waits for an event instead.',
        examples: ['payments.charge'],
      }),
    ),
    state: oneOf(workflowStepStates),
    stateReason: nullable(StepReason),
    attempts: Type.Integer({ minimum: 0, description: 'Attempts; each is an invocation of the operation.' }),
    output: Type.Unknown({ description: 'The output of the operation; null until the step has succeeded.' }),
    error: StepError,
    startedAt: nullable(Timestamp()),
    endedAt: nullable(Timestamp()),
    waitsUntil: nullable(Timestamp('When its wait ends, while it is `waiting`.')),
    compensation: nullable(WorkflowCompensation),
    elements: nullable(
      Type.Array(WorkflowElement, { description: 'One for each item of `forEach`, once they are known.' }),
    ),
    workflow: nullable(Type.String({ description: 'The workflow that it runs.', examples: ['refund-order'] })),
    childWorkflowRunId: nullable(Id('wfr', 'The run of that workflow, of its last attempt.')),
    waitsFor: nullable(
      Type.Object(
        { event: Type.String(), correlation: Type.String() },
        { description: 'The event that it waits for, or waited for.' },
      ),
    ),
  },
  { $id: 'WorkflowStep', description: 'A step of a run, in the order of the definition.' },
)

type Step = Static<typeof WorkflowStep>

/** What belongs to the step and has its own state. */
const partsOf = (context: WorkflowRunContext, place: number, children: ReadonlyMap<string, string>) => {
  const { id, workflow = null } = context.plan[place] as PlannedStep
  return {
    compensation: presentCompensation(context, place),
    elements: presentElements(context, place, children),
    workflow,
    childWorkflowRunId: children.get(id) ?? null,
  }
}

/** null: there is no list, or it is not known yet. */
function presentElements({ plan, steps }: WorkflowRunContext, of: number, children: ReadonlyMap<string, string>) {
  if (plan[of]?.concurrency === undefined) return null
  const elements = plan.flatMap(({ id, element }, place) => {
    if (element !== of) return []
    const { state, attempts, error } = steps[place]!
    return [{ state, attempts, error, childWorkflowRunId: children.get(id) ?? null }]
  })
  return elements.length === 0 ? null : elements.map((element, index) => ({ index, ...element }))
}

/** null: it has not begun. */
function presentCompensation({ plan, steps }: WorkflowRunContext, of: number): Step['compensation'] {
  const place = plan.findIndex(({ compensates }) => compensates === of)
  const step = steps[place]
  if (!step || step.startedAt === null) return null
  const { state, attempts, error, startedAt, endedAt } = step
  return {
    operation: plan[place]!.operation as string,
    state: state as NonNullable<Step['compensation']>['state'],
    attempts,
    error,
    startedAt: timestampOrNull(startedAt),
    endedAt: timestampOrNull(endedAt),
  }
}

/** `children`: the runs of steps that run a workflow, by the step's id. */
export function presentStep(
  context: WorkflowRunContext,
  place: number,
  output: unknown,
  children: ReadonlyMap<string, string>,
): Step {
  const { id, operation } = context.plan[place] as PlannedStep
  const { state, attempts, error, startedAt, endedAt, until, awaits } = context.steps[place] as StepProgress
  return {
    stepId: id,
    operation,
    state,
    stateReason: reasonOf(context, place),
    attempts,
    output,
    error,
    startedAt: timestampOrNull(startedAt),
    endedAt: timestampOrNull(endedAt),
    waitsUntil: timestampOrNull(state === 'waiting' ? (until ?? null) : null),
    waitsFor: awaits ?? null,
    ...partsOf(context, place, children),
  }
}
