/** Enables traces, if the settings do. */
import type { Store } from '../../../storage/store.ts'
import type { Members } from '../members/members.ts'
import type { Logger } from '../operating/logger.ts'
import type { Clock } from '../time/clock.ts'
import { SpanOutbox } from './outbox.ts'
import { type TraceSettings, tracesAreOn } from './settings.ts'
import { SpanQueue } from './span-queue.ts'
import { Tracing } from './tracing.ts'

interface OpenTracingParts {
  settings: TraceSettings
  store: Store
  clock: Clock
  logger: Logger
  /** The servers of the store: another one exports the spans of a dead server. */
  members: Pick<Members, 'id' | 'isShared' | 'living'>
  onError(error: unknown, what: string): void
}

/** The interval at which a failing collector is logged. */
const tellEveryMs = 60_000

/** null: traces are disabled, and no module of OpenTelemetry's SDK is loaded. */
export async function openTracing(parts: OpenTracingParts): Promise<Tracing | null> {
  const { settings, clock, logger, members } = parts
  if (!tracesAreOn(settings)) return null
  const [{ openSampler }, { ThreadExporter }] = await Promise.all([import('./sampler.ts'), import('./exporter.ts')])
  let toldAt = Number.NEGATIVE_INFINITY
  const queue = new SpanQueue({
    settings,
    exporter: new ThreadExporter(settings, members.id),
    onTrouble(failure) {
      if (clock.now() - toldAt < tellEveryMs) return
      toldAt = clock.now()
      const { droppedByExport } = queue.statistics
      logger.warn({ ...failure, droppedByExport }, 'the collector of traces does not take them')
    },
  })
  return new Tracing({
    sample: openSampler(settings),
    queue,
    outbox: new SpanOutbox({ ...parts, queue }),
    capturesContent: settings.otelCaptureContent,
    valueCharactersMax: settings.otelValueCharactersMax,
  })
}
