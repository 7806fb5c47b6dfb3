/**
 * The spans of runs. A run's own span is `invoke_agent`; its steps are parts of it, whose span ids are derived from
 * their numbers. Spans are built from the rows that a change stores, and commit with it: the server that ends a step or
 * the run exports its span, across attempts, crashes and restarts. Source: contract 13, "Traces"; OpenTelemetry,
 * "Semantic conventions for GenAI agent spans".
 */
import { isRunEnd } from '../../../machines/run/states.ts'
import { usageOfEndedAttempts } from '../../../storage/runs/steps.ts'
import type { Store, Write } from '../../../storage/store.ts'
import type { AgentStepRow, RunRow } from '../../../storage/tables.ts'
import { type OwnSpan, readStoredSpan } from '../../platform/tracing/own-span.ts'
import { attributesOf, type SpanRecord, shownCode } from '../../platform/tracing/span.ts'
import { spanIdOfPart, type TraceContext } from '../../platform/tracing/trace-context.ts'
import type { Tracing } from '../../platform/tracing/tracing.ts'
import type { Binding } from '../admission/bindings.ts'
import type { StepPart, StepRequest } from '../providers/step.ts'
import type { RunChange } from '../record.ts'
import { readAgent, readExecution, readUsage } from '../records/step-columns.ts'
import { answered, asked, type ModelContent } from './content.ts'
import { providerName } from './provider-names.ts'

/** The ended step of an attempt. */
export type Earlier = Pick<AgentStepRow, 'agent_step_id' | 'token_usage'>

/** States of a run with an active attempt. */
const attemptStates: ReadonlySet<string> = new Set(['acquiring', 'starting', 'running', 'canceling'])

/** The spans of a continue are children of the same span, which is exported at the first end. */
const firstEndIn = (moves: RunChange['moves']) =>
  moves.find(({ from, to, context }) => from !== to && isRunEnd(to) && context.chain === 1)

type StreamStep = (request: StepRequest) => AsyncIterable<StepPart>

/** The common attributes of a run's spans. */
interface Place {
  own: OwnSpan
  run: RunRow
  /** The current chain of attempts. */
  chain: number
}

/** Model calls whose steps have not ended; beyond a limit the oldest is dropped. */
const notedMax = 1_000

export class RunTraces {
  /** The inputs of models, by span; only if spans contain content. */
  readonly #noted = new Map<string, ModelContent>()

  constructor(private readonly tracing: Tracing) {}

  /**
   * The usage of earlier attempts, if a change ends a run with earlier attempts; undefined otherwise, and without a
   * span.
   */
  earlier({ moves, before }: RunChange, store: Store): Promise<Earlier[]> | undefined {
    if (!before || before.context.attempt === 0) return undefined
    const { id, trace } = before.row.row
    if (!firstEndIn(moves) || !readStoredSpan(trace)?.context.sampled) return undefined
    const isFirst = before.context.attempt === 1 && attemptStates.has(before.state)
    return isFirst ? undefined : store.all(usageOfEndedAttempts(store, { runId: id }))
  }

  /** The statements that commit the spans of ended steps, and of the run at its first end, together with a change. */
  writes(change: RunChange, run: RunRow, ended: readonly AgentStepRow[], earlier: readonly Earlier[] = []): Write[] {
    if (run.trace === null) return []
    const end = firstEndIn(change.moves)
    if (ended.length === 0 && !end) return []
    const own = readStoredSpan(run.trace)
    if (!own?.context.sampled) return []
    const place = { own, run, chain: change.context.chain }
    const spans = ended.map((step) => this.#stepSpan(place, step))
    if (end) spans.push(this.#runSpan(place, ended, earlier, end))
    return this.tracing.ended(spans)
  }

  /** The same model call, whose input is recorded if spans contain content. */
  noting(streamStep: StreamStep): StreamStep {
    if (!this.tracing.capturesContent) return streamStep
    return (request) => {
      const { trace, system, messages } = request
      if (trace?.sampled) {
        if (this.#noted.size >= notedMax) this.#noted.delete(this.#noted.keys().next().value as string)
        this.#noted.set(
          trace.spanId,
          asked(system, messages, (text) => this.tracing.text(text)),
        )
      }
      return streamStep(request)
    }
  }

  #runSpan(
    { own, run }: Place,
    ended: readonly AgentStepRow[],
    earlier: readonly Earlier[],
    end: RunChange['moves'][number],
  ): SpanRecord {
    const { context } = end
    const root = ended.findLast(({ parent_agent_step_id }) => parent_agent_step_id === null)
    const { provider, model } = JSON.parse(run.binding) as Partial<Binding>
    const state = end.to
    const isFailure = state !== 'completed' && state !== 'canceled'
    // the step of each attempt, with the sum of its model steps
    const roots = new Map([...earlier, ...(root ? [root] : [])].map((step) => [step.agent_step_id, step.token_usage]))
    return {
      ...idsOf(own.context),
      parentSpanId: own.parentSpanId,
      name: root ? `invoke_agent ${root.name}` : 'invoke_agent',
      kind: 'internal',
      startedAt: run.created_at,
      endedAt: Math.max(run.created_at, end.event.at),
      attributes: attributesOf({
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.provider.name': provider && providerName(provider),
        'gen_ai.request.model': model,
        'gen_ai.agent.id': run.agent_id,
        'gen_ai.agent.name': root?.name,
        'gen_ai.agent.version': run.agent_revision_id,
        'gen_ai.conversation.id': run.id,
        ...usageAttributes([...roots.values()]),
        'troupe.agent_run.id': run.id,
        'troupe.agent_run.state': state,
        'troupe.agent_run.attempts': context.attempt,
        'troupe.agent_run.stop_reason': context.stopReason,
        'troupe.organization.id': run.organization_id,
        'troupe.project.id': run.project_id,
        'troupe.environment.id': run.environment_id,
        'troupe.deployment.id': run.deployment_id,
        'error.type': isFailure ? shownCode(context.cause?.code ?? state) : undefined,
        'gen_ai.output.messages':
          this.tracing.capturesContent && root ? this.tracing.text(answered(root.output)) : undefined,
      }),
      ...(isFailure && { error: shownCode(context.cause?.code ?? state) }),
    }
  }

  #stepSpan({ own, run, chain }: Place, step: AgentStepRow): SpanRecord {
    const spanId = spanIdOfPart(own.context.spanId, step.agent_step_id)
    const { parent_agent_step_id: above } = step
    const failure = step.status === 'failed' ? codeIn(step.error) : undefined
    const agent = readAgent(step.agent)
    return {
      ...idsOf(own.context),
      spanId,
      parentSpanId: above === null ? own.context.spanId : spanIdOfPart(own.context.spanId, above),
      ...nameOf(step),
      startedAt: step.started_at,
      endedAt: step.ended_at ?? step.updated_at,
      attributes: attributesOf({
        'gen_ai.agent.name': step.kind === 'delegate' ? step.name : agent.name,
        'gen_ai.conversation.id': run.id,
        'troupe.agent_run.id': run.id,
        // spans of child steps have it as their parent
        ...(step.kind === 'agent' && { 'troupe.agent_run.attempt': step.attempt, 'troupe.agent_run.chain': chain }),
        'troupe.agent_step.id': step.agent_step_id,
        // a completed step has no error and no further attributes
        'troupe.agent_step.status': step.status === 'completed' ? undefined : step.status,
        ...this.#ofKind(step, spanId),
        'error.type': failure,
      }),
      ...(failure !== undefined && { error: failure }),
    }
  }

  #ofKind(step: AgentStepRow, spanId: string) {
    const { capturesContent } = this.tracing
    switch (step.kind) {
      case 'model': {
        const { provider, model, finishReason } = readExecution(step.execution)
        return {
          'gen_ai.operation.name': 'chat',
          'gen_ai.provider.name': provider && providerName(provider),
          'gen_ai.request.model': model,
          'gen_ai.response.finish_reasons': finishReason ? [finishReason.replace('-', '_')] : undefined,
          ...usageOf(step),
          ...(capturesContent && {
            ...this.#given(spanId),
            'gen_ai.output.messages': this.#text(answered(step.output)),
          }),
        }
      }
      case 'tool': {
        const { toolCallId } = readExecution(step.execution)
        return {
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': step.name,
          'gen_ai.tool.call.id': toolCallId,
          'gen_ai.tool.type': 'function',
          ...(capturesContent && {
            'gen_ai.tool.call.arguments': this.#text(step.input),
            'gen_ai.tool.call.result': this.#text(step.output),
          }),
        }
      }
      case 'delegate':
        return { 'gen_ai.operation.name': 'invoke_agent', ...usageOf(step) }
      default:
        return usageOf(step)
    }
  }

  #given(spanId: string): ModelContent {
    const noted = this.#noted.get(spanId)
    this.#noted.delete(spanId)
    return noted ?? {}
  }

  #text(text: string | null): string | undefined {
    return text === null ? undefined : this.tracing.text(text)
  }
}

const idsOf = ({ traceId, spanId, tracestate }: TraceContext) => ({ traceId, spanId, tracestate })

function nameOf({ kind, name, attempt }: AgentStepRow): Pick<SpanRecord, 'name' | 'kind'> {
  switch (kind) {
    case 'agent':
      return { name: `attempt ${attempt}`, kind: 'internal' }
    case 'model':
      return { name: `chat ${name}`, kind: 'client' }
    case 'tool':
      return { name: `execute_tool ${name}`, kind: 'internal' }
    default:
      return { name: `invoke_agent ${name}`, kind: 'internal' }
  }
}

const usageOf = ({ token_usage }: Pick<AgentStepRow, 'token_usage'>) => usageAttributes([token_usage])

/** The sum of usages, each as stored. */
function usageAttributes(usages: readonly string[]) {
  const sums = { inputTokens: 0, outputTokens: 0, cachedInputTokens: 0, reasoningTokens: 0 }
  for (const each of usages) {
    const used = readUsage(each)
    for (const key of Object.keys(sums) as (keyof typeof sums)[]) sums[key] += used[key]
  }
  const { inputTokens, outputTokens, cachedInputTokens, reasoningTokens } = sums
  if (inputTokens === 0 && outputTokens === 0) return {}
  return {
    'gen_ai.usage.input_tokens': inputTokens,
    'gen_ai.usage.output_tokens': outputTokens,
    'gen_ai.usage.cache_read.input_tokens': cachedInputTokens || undefined,
    'gen_ai.usage.reasoning.output_tokens': reasoningTokens || undefined,
  }
}

const codeIn = (error: string | null): string =>
  shownCode(error && (JSON.parse(error) as { code?: unknown } | null)?.code)
