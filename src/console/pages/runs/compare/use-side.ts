/** One side of a comparison: the run with everything that is shown of it. */
import type { PresentedRun } from '../../../../runs/present.ts'
import type { ApiFailure } from '../../../api/failure.ts'
import { useApi, useRefresh } from '../../../data/context.ts'
import { useResource } from '../../../data/resource.ts'
import { useEventStream } from '../../../data/use-event-stream.ts'
import { useRefreshSoon } from '../../../data/use-refresh-soon.ts'
import { conversationOf } from '../playground/messages.ts'
import { useSummary } from '../run/use-summary.ts'
import type { Step } from '../steps/steps.ts'
import { useLatest } from '../use-latest.ts'

export interface Side {
  runId: string | null
  run: PresentedRun | undefined
  summary: PresentedRun['summary']
  /** The first message. */
  question: string
  /** The last answer: text, or structured output as JSON. */
  answer: unknown
  /** The first hundred steps. */
  steps: readonly Step[] | undefined
  stepCount: number | undefined
  failure: ApiFailure | undefined
}

const stepsMax = 100
/** Events that change what the comparison shows. */
const followed = 'run.snapshot,run.transition,step.completed,step.failed,end'

export function useSide(runId: string | null): Side {
  const api = useApi()
  const of = (id: string) => api.v1['agent-runs']({ agentRunId: id })
  const run = useResource(runId ? ['runs', runId] : null, (options) => of(runId as string).get(options))
  const summary = useSummary(runId)
  const latest = useLatest(runId)
  const steps = useResource(runId ? ['runs', runId, 'compared'] : null, (options) =>
    of(runId as string).steps.get({
      ...options,
      query: { depth: 0, limit: stepsMax, sort: 'createdAt', order: 'asc' },
    }),
  )
  const isLive = run.value !== undefined && run.value.endedAt === null
  const refresh = useRefresh()
  const reread = useRefreshSoon(() => refresh(['runs', runId]))
  useEventStream(runId && isLive ? `/api/v1/agent-runs/${runId}/stream?types=${followed}` : null, reread)
  const entries = conversationOf(
    latest.value?.runtimeCheckpoint.messages ?? [],
    latest.value?.checkpoint.agentStepId ?? 0,
    steps.value?.items ?? [],
  )
  const first = entries.find((entry) => entry.is === 'user')
  const answer = entries.findLast((entry) => entry.is === 'assistant')
  const output = steps.value?.items.findLast((step) => step.parentAgentStepId === null)?.output
  const text = first?.parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n')
  return {
    runId,
    run: run.value,
    summary: summary.value ?? undefined,
    question: text ?? summary.value?.query ?? '',
    answer: typeof output === 'object' && output !== null ? output : (answer?.text ?? ''),
    steps: steps.value?.items,
    stepCount: steps.value?.items.length,
    failure: run.failure,
  }
}
