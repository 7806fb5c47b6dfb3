/** OpenTelemetry's samplers, which decide whether a trace is exported. Imported only if traces are enabled. */
import { type Context, createTraceState, ROOT_CONTEXT, SpanKind, TraceFlags, trace } from '@opentelemetry/api'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from '@opentelemetry/sdk-trace'
import type { TraceSettings } from './settings.ts'
import type { TraceContext } from './trace-context.ts'

/** The configured sampler. `parent`: the caller's span. */
export function openSampler({ otelSampler, otelSamplerArgument }: TraceSettings) {
  const name = otelSampler.replace('parentbased_', '')
  const root: Sampler =
    name === 'always_off'
      ? new AlwaysOffSampler()
      : name === 'traceidratio'
        ? new TraceIdRatioBasedSampler(Number(otelSamplerArgument))
        : new AlwaysOnSampler()
  const sampler = otelSampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
  return (traceId: string, parent: TraceContext | null): boolean => {
    const context: Context = parent ? trace.setSpanContext(ROOT_CONTEXT, remote(parent)) : ROOT_CONTEXT
    return sampler.shouldSample(context, traceId, '', SpanKind.SERVER, {}, []).decision !== SamplingDecision.NOT_RECORD
  }
}

const remote = ({ traceId, spanId, sampled, tracestate }: TraceContext) => ({
  traceId,
  spanId,
  traceFlags: sampled ? TraceFlags.SAMPLED : TraceFlags.NONE,
  isRemote: true,
  ...(tracestate !== null && { traceState: createTraceState(tracestate) }),
})
