/**
 * The settings of traces: the standard variables of OpenTelemetry, as far as they concern spans sent by OTLP over HTTP. Source:
 * OpenTelemetry, "Environment Variable Specification" and "OTLP Exporter Configuration"; contract 13.
 */
import type { Environment } from '../operating/unknown-settings.ts'
import { address, choice, flag, InvalidSetting, integer, secret, text } from '../operating/variable.ts'
import { hourMs } from '../time/durations.ts'

const about = (name: string, meaning: string) => ({ name, meaning })
const schemes = ['https', 'http'] as const
const protocols = ['http/protobuf', 'http/json'] as const
const compressions = ['gzip', 'none'] as const
const msMax = hourMs
const spansMax = 1_000_000

/** `name=value` pairs, separated by commas, percent-encoded; undefined for any other text. */
export function readPairs(given: string): Record<string, string> | undefined {
  const pairs: Record<string, string> = {}
  for (const pair of given.split(',')) {
    if (pair.trim() === '') continue
    const at = pair.indexOf('=')
    const name = pair.slice(0, Math.max(at, 0)).trim()
    if (name === '' || /[\s"\\]/.test(name)) return undefined
    try {
      pairs[decodeURIComponent(name)] = decodeURIComponent(pair.slice(at + 1).trim())
    } catch {
      return undefined
    }
  }
  return pairs
}

const pairs = { test: (given: string) => readPairs(given) !== undefined }
const pairWords = 'name=value, separated by commas, percent-encoded'
const headerName = /^[\w!#$%&'*+.^`|~-]+$/
const headers = {
  test: (given: string) =>
    Object.entries(readPairs(given) ?? { ' ': '' }).every(
      ([name, value]) => headerName.test(name) && /^[\x20-\x7e]*$/.test(value),
    ),
}

const samplers = [
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
  'always_on',
  'always_off',
  'traceidratio',
] as const

export const traceVariables = {
  otelEndpoint: address(
    about('OTEL_EXPORTER_OTLP_ENDPOINT', 'the base URL of a collector (OTLP over HTTP); enables traces'),
    schemes,
  ),
  otelTracesEndpoint: address(
    about('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'the complete URL that spans are sent to; enables traces'),
    schemes,
    false,
    'OTEL_EXPORTER_OTLP_ENDPOINT/v1/traces',
  ),
  otelDisabled: flag(about('OTEL_SDK_DISABLED', 'true: no traces, even if the other settings enable them'), false),
  otelTracesExporter: choice(about('OTEL_TRACES_EXPORTER', 'none: no traces'), ['otlp', 'none'], 'otlp'),
  otelProtocol: choice(
    about('OTEL_EXPORTER_OTLP_PROTOCOL', 'the encoding of spans'),
    protocols,
    'http/protobuf' as const,
  ),
  otelTracesProtocol: choice(
    about('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', 'the same, for traces only'),
    protocols,
    null,
    'OTEL_EXPORTER_OTLP_PROTOCOL',
  ),
  otelHeaders: secret(
    about('OTEL_EXPORTER_OTLP_HEADERS', 'headers for the collector: name=value, separated by commas'),
    pairWords,
    headers,
  ),
  otelTracesHeaders: secret(
    about('OTEL_EXPORTER_OTLP_TRACES_HEADERS', 'the same, for traces only; takes precedence'),
    pairWords,
    headers,
  ),
  otelTimeoutMs: integer(
    about('OTEL_EXPORTER_OTLP_TIMEOUT', 'the timeout of one export, retries included, in milliseconds'),
    10_000,
    1,
    msMax,
  ),
  otelTracesTimeoutMs: integer(
    about('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', 'the same, for traces only'),
    null,
    1,
    msMax,
    'OTEL_EXPORTER_OTLP_TIMEOUT',
  ),
  otelCompression: choice(
    about('OTEL_EXPORTER_OTLP_COMPRESSION', 'the compression of exports'),
    compressions,
    'none' as const,
  ),
  otelTracesCompression: choice(
    about('OTEL_EXPORTER_OTLP_TRACES_COMPRESSION', 'the same, for traces only'),
    compressions,
    null,
    'OTEL_EXPORTER_OTLP_COMPRESSION',
  ),
  otelServiceName: text(
    about('OTEL_SERVICE_NAME', 'the service name of spans'),
    null,
    '1 to 256 characters',
    /^.{1,256}$/su,
    'troupe',
  ),
  otelResourceAttributes: text(
    about('OTEL_RESOURCE_ATTRIBUTES', 'further resource attributes of spans: name=value, separated by commas'),
    null,
    pairWords,
    pairs,
  ),
  otelSampler: choice(
    about('OTEL_TRACES_SAMPLER', 'the sampler, which selects the exported traces'),
    samplers,
    'parentbased_always_on' as const,
  ),
  otelSamplerArgument: text(
    about('OTEL_TRACES_SAMPLER_ARG', 'the fraction of traces that a traceidratio sampler exports'),
    '1',
    'a number from 0 to 1',
    /^(?:0|1|0?\.[0-9]{1,15}|1\.0{1,15})$/,
  ),
  otelScheduleDelayMs: integer(
    about('OTEL_BSP_SCHEDULE_DELAY', 'the longest time that spans wait for a batch to fill, in milliseconds'),
    5_000,
    1,
    msMax,
  ),
  otelExportTimeoutMs: integer(
    about('OTEL_BSP_EXPORT_TIMEOUT', 'the timeout of an export, in milliseconds'),
    30_000,
    1,
    msMax,
  ),
  otelQueueSpansMax: integer(
    about('OTEL_BSP_MAX_QUEUE_SIZE', 'the most spans that wait; further spans are dropped and counted'),
    2_048,
    1,
    spansMax,
  ),
  otelBatchSpansMax: integer(
    about('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 'the most spans in one export; at most the size of the queue'),
    512,
    1,
    spansMax,
  ),
  otelValueCharactersMax: integer(
    about('OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT', 'the most characters of an attribute; the rest is cut off'),
    16_384,
    1,
    1_048_576,
  ),
  otelCaptureContent: flag(
    about(
      'OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT',
      'true: spans contain the inputs and outputs of models and tools',
    ),
    false,
  ),
} as const

type Variables = typeof traceVariables
export type TraceSettings = {
  readonly [Key in keyof Variables]: ReturnType<Variables[Key]['read']>
}

/** Whether traces are enabled. */
export const tracesAreOn = (settings: TraceSettings): boolean =>
  (settings.otelEndpoint !== null || settings.otelTracesEndpoint !== null) &&
  !settings.otelDisabled &&
  settings.otelTracesExporter === 'otlp'

/** Throws `InvalidSetting` for a given batch that is larger than the queue; the default adapts to a smaller queue. */
export function assertBatchFits({ otelBatchSpansMax, otelQueueSpansMax }: TraceSettings, given: Environment): void {
  if (!given.OTEL_BSP_MAX_EXPORT_BATCH_SIZE || otelBatchSpansMax <= otelQueueSpansMax) return
  const bound = `OTEL_BSP_MAX_QUEUE_SIZE (${otelQueueSpansMax})`
  throw new InvalidSetting(`OTEL_BSP_MAX_EXPORT_BATCH_SIZE: must be at most ${bound}, not ${otelBatchSpansMax}`)
}
