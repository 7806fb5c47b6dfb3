/**
 * The spans of workflow runs. Their steps are invocations, whose spans go below; what a resumed run does goes below the same
 * span, which is exported at the run's first end. Source: contract 13, "Traces".
 */
import type { WorkflowRunContext } from '../../../machines/workflow-run.ts'
import type { Write } from '../../../storage/store.ts'
import type { WorkflowRunRow } from '../../../storage/tables.ts'
import { readStoredSpan } from '../../platform/tracing/own-span.ts'
import { attributesOf, shownCode } from '../../platform/tracing/span.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import type { Change } from '../../runtime/kind.ts'

const ended: ReadonlySet<string> = new Set(['completed', 'failed', 'canceled'])

/** Whether the run has come to an end with these moves. */
export const endsWith = ({ moves }: Pick<Change, 'moves'>): boolean =>
  moves.some(({ from, to }) => from !== to && ended.has(to))

export class WorkflowTraces {
  constructor(private readonly tracing: Tracing) {}

  /** The statements by which its span commits with its first end; `before`: its span as it was stored. */
  writes(row: WorkflowRunRow, change: Pick<Change, 'moves'>, before: string | null): Write[] {
    const own = readStoredSpan(before)
    if (!own?.context.sampled || own.isExported) return []
    const end = change.moves.find(({ from, to }) => from !== to && ended.has(to))
    if (!end) return []
    const { context, parentSpanId } = own
    const { cause } = end.context as unknown as WorkflowRunContext
    const failure = end.to === 'failed' ? shownCode(cause?.code ?? end.to) : undefined
    const span = {
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
    return this.tracing.ended([span])
  }
}
