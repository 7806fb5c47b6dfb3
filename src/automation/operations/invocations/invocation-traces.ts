/**
 * The spans of invocations. A run's call is covered by the span of the run's step; an invocation of a request or of a
 * workflow step has its own span. Source: contract 13, "Traces".
 */
import type { Write } from '../../../../storage/store.ts'
import type { InvocationRow } from '../../../../storage/tables.ts'
import { type OwnSpan, readStoredSpan } from '../../../platform/tracing/own-span.ts'
import { attributesOf, shownCode } from '../../../platform/tracing/span.ts'
import type { TraceContext } from '../../../platform/tracing/trace-context.ts'
import type { Tracing } from '../../../platform/tracing/tracing.ts'
import type { Change } from '../../../runtime/kind.ts'
import type { Origin } from './invocation.ts'

const ended: ReadonlySet<string> = new Set(['succeeded', 'failed', 'rejected', 'unknown'])

export class InvocationTraces {
  constructor(private readonly tracing: Tracing) {}

  /** The trace column of a new invocation: its own span, a child of `above`, or the run's step that makes the call. */
  begin({ type }: Origin, above: TraceContext | null): OwnSpan | null {
    if (type === 'run') return above && { context: above, parentSpanId: null }
    if (above) return this.tracing.below(above)
    return type === 'api' ? this.tracing.inRequest() : this.tracing.root()
  }

  /** The invocation is stored. */
  started({ type }: Origin, span: OwnSpan): void {
    if (type === 'api') this.tracing.started(span)
  }

  /** The statements that commit its span with its end. */
  writes(row: InvocationRow, { moves }: Pick<Change<unknown, unknown>, 'moves'>): Write[] {
    if (row.trace === null || row.agent_run_id !== null) return []
    const end = moves.find(({ from, to }) => from !== to && ended.has(to))
    const own = end ? readStoredSpan(row.trace) : null
    if (!end || !own?.context.sampled) return []
    const { context, parentSpanId } = own
    const { capturesContent } = this.tracing
    const failure = row.state === 'succeeded' ? undefined : shownCode(codeIn(row.error) ?? row.state)
    const span = {
      traceId: context.traceId,
      spanId: context.spanId,
      parentSpanId,
      tracestate: context.tracestate,
      name: row.step_id === null ? `execute_tool ${row.operation}` : `workflow_step ${row.step_id}`,
      kind: 'internal' as const,
      startedAt: row.created_at,
      endedAt: Math.max(row.created_at, end.event.at),
      attributes: attributesOf({
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': row.operation,
        'gen_ai.tool.type': 'function',
        'gen_ai.agent.id': row.agent_id,
        'troupe.operation_invocation.id': row.id,
        'troupe.operation_invocation.state': row.state,
        'troupe.workflow_run.id': row.workflow_run_id,
        'troupe.workflow_step.id': row.step_id,
        'troupe.workflow_step.attempt': row.attempt,
        'troupe.organization.id': row.organization_id,
        'troupe.project.id': row.project_id,
        'troupe.environment.id': row.environment_id,
        'gen_ai.tool.call.arguments': capturesContent ? this.tracing.text(row.input) : undefined,
        'gen_ai.tool.call.result': capturesContent && row.output !== null ? this.tracing.text(row.output) : undefined,
        'error.type': failure,
      }),
      ...(failure !== undefined && { error: failure }),
    }
    return this.tracing.ended([span])
  }
}

const codeIn = (error: string | null): unknown => error && (JSON.parse(error) as { code?: unknown } | null)?.code
