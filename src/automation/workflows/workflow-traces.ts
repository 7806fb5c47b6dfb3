/**
 * The spans of workflow runs. Their steps are invocations, whose spans are children, unless a step is refused before
 * there is an invocation; the spans of a resumed run are children of the same span, which is exported at the run's
 * first end. Source: contract 13, "Traces".
 */
import type { WorkflowRunContext, WorkflowRunEvent } from '../../../machines/workflow-run.ts'
import type { Write } from '../../../storage/store.ts'
import type { WorkflowRunRow } from '../../../storage/tables.ts'
import { type OwnSpan, readStoredSpan } from '../../platform/tracing/own-span.ts'
import { attributesOf, type SpanRecord, shownCode } from '../../platform/tracing/span.ts'
import { newSpanId } from '../../platform/tracing/trace-context.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import type { Change } from '../../runtime/kind.ts'

const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled'])

type Moved = Pick<Change<WorkflowRunRow, WorkflowRunContext, WorkflowRunEvent>, 'moves'>

/** Whether these transitions end the run. */
export const endsWith = ({ moves }: Moved): boolean => moves.some(({ from, to }) => from !== to && ended.has(to))

export class WorkflowTraces {
  constructor(private readonly tracing: Tracing) {}

  /**
   * The statements that commit its span with its first end, and those of refused steps; `before`: the run as it was
   * stored.
   */
  writes(row: WorkflowRunRow, change: Moved, before: { row: WorkflowRunRow; context: WorkflowRunContext }): Write[] {
    const own = readStoredSpan(before.row.trace)
    if (!own?.context.sampled) return []
    const spans = refusedSteps(row, change, before.context, own)
    const end = own.isExported ? undefined : change.moves.find(({ from, to }) => from !== to && ended.has(to))
    if (end) spans.push(runSpan(row, own, end))
    return this.tracing.ended(spans)
  }
}

function runSpan(row: WorkflowRunRow, own: OwnSpan, end: Moved['moves'][number]): SpanRecord {
  const { context, parentSpanId } = own
  const { cause } = end.context
  const failure = end.to === 'failed' ? shownCode(cause?.code ?? end.to) : undefined
  return {
    traceId: context.traceId,
    spanId: context.spanId,
    parentSpanId,
    tracestate: context.tracestate,
    name: `invoke_workflow ${row.definition_name}`,
    kind: 'internal' as const,
    startedAt: row.created_at,
    endedAt: Math.max(row.created_at, end.event.at),
    attributes: attributesOf({
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': row.definition_name,
      'gen_ai.agent.id': row.agent_id,
      'troupe.workflow_run.id': row.id,
      'troupe.workflow_run.state': end.to,
      'troupe.organization.id': row.organization_id,
      'troupe.project.id': row.project_id,
      'troupe.environment.id': row.environment_id,
      'troupe.deployment.id': row.deployment_id,
      'error.type': failure,
    }),
    ...(failure !== undefined && { error: failure }),
  }
}

/** The spans of steps that these transitions refuse: no invocation exists that would have a span. */
function refusedSteps(row: WorkflowRunRow, { moves }: Moved, first: WorkflowRunContext, own: OwnSpan) {
  const spans: SpanRecord[] = []
  const { traceId, spanId, tracestate } = own.context
  let before = first
  for (const { event, context: after } of moves) {
    const earlier = before
    before = after
    if (event.type !== 'refused') continue
    const { stepId, attempt, cause, at } = event
    const place = after.plan.findIndex(({ id }) => id === stepId)
    if (after.steps[place]?.state !== 'failed' || earlier.steps[place]?.state === 'failed') continue
    const failure = shownCode(cause.code)
    spans.push({
      traceId,
      spanId: newSpanId(),
      parentSpanId: spanId,
      tracestate,
      name: `workflow_step ${stepId}`,
      kind: 'internal',
      startedAt: at,
      endedAt: at,
      attributes: attributesOf({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': after.plan[place]?.operation ?? undefined,
        'gen_ai.tool.type': 'function',
        'gen_ai.agent.id': row.agent_id,
        'troupe.workflow_run.id': row.id,
        'troupe.workflow_step.id': stepId,
        'troupe.workflow_step.attempt': attempt,
        'troupe.organization.id': row.organization_id,
        'troupe.project.id': row.project_id,
        'troupe.environment.id': row.environment_id,
        'error.type': failure,
      }),
      error: failure,
    })
  }
  return spans
}
