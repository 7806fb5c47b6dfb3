/** Exports batches of spans in a separate thread, which is started with the first batch and replaced when it fails. */
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { version } from '../../../package.json'
import { readPairs, type TraceSettings } from './settings.ts'

/** The options of the thread. */
export interface ExportOptions {
  url: string
  headers: Record<string, string>
  timeoutMillis: number
  compression: string
  isJson: boolean
  /** The resource attributes of spans. */
  resource: Record<string, string>
  version: string
}

/** A batch. */
export interface SpanBatch {
  batch: number
  /** A JSON list of `SpanRecord`. */
  spans: string
}

/** Why a collector did not accept a batch, without the collector's own text. */
export interface ExportFailure {
  name: string
  code: string | number | undefined
}

/** The outcome of a batch. */
export interface BatchOutcome {
  batch: number
  /** Omitted: the collector has accepted it. */
  failure?: ExportFailure
}

/** A thread that has not answered this long after its exporter's timeout counts as failed. */
const graceMs = 5_000
/** A failed thread is replaced after this time. */
const replaceAfterMs = 10_000

/** The exporter's options, from the settings. `instanceId` identifies this server among those of the store. */
function optionsOf(settings: TraceSettings, instanceId: string): ExportOptions {
  const { otelEndpoint, otelHeaders, otelTracesHeaders, otelResourceAttributes, otelServiceName } = settings
  return {
    url: settings.otelTracesEndpoint ?? `${otelEndpoint}/v1/traces`,
    headers: { ...readPairs(otelHeaders?.reveal() ?? ''), ...readPairs(otelTracesHeaders?.reveal() ?? '') },
    timeoutMillis: Math.min(settings.otelTracesTimeoutMs ?? settings.otelTimeoutMs, settings.otelExportTimeoutMs),
    compression: settings.otelTracesCompression ?? settings.otelCompression,
    isJson: (settings.otelTracesProtocol ?? settings.otelProtocol) === 'http/json',
    resource: {
      'service.name': 'troupe',
      'service.version': version,
      'service.instance.id': instanceId,
      ...readPairs(otelResourceAttributes ?? ''),
      ...(otelServiceName !== null && { 'service.name': otelServiceName }),
    },
    version,
  }
}

/** Set by tests, for a thread that fails. */
export interface ThreadOptions {
  start(options: ExportOptions): Worker
  replaceAfterMs: number
}

const defaults: ThreadOptions = {
  start: (options) => new Worker(join(import.meta.dir, 'export-thread.ts'), { workerData: options }),
  replaceAfterMs,
}

type Settle = (failure: ExportFailure | undefined) => void

export class ThreadExporter {
  readonly #options: ExportOptions
  readonly #under = new Map<number, Settle>()
  #thread: Worker | undefined
  #batches = 0
  #failedAt = Number.NEGATIVE_INFINITY

  constructor(
    settings: TraceSettings,
    instanceId: string,
    private readonly threads: ThreadOptions = defaults,
  ) {
    this.#options = optionsOf(settings, instanceId)
  }

  /** Exports a JSON list of spans. Resolves with the error, or undefined; never rejects. */
  async export(spans: string): Promise<ExportFailure | undefined> {
    const rest = this.#failedAt + this.threads.replaceAfterMs - performance.now()
    if (rest > 0) await unreferenced(rest)
    const batch = ++this.#batches
    const { promise, resolve } = Promise.withResolvers<ExportFailure | undefined>()
    const timer = setTimeout(() => this.#fail(), this.#options.timeoutMillis + graceMs)
    timer.unref()
    this.#under.set(batch, resolve)
    try {
      this.#started().postMessage({ batch, spans } satisfies SpanBatch)
      return await promise
    } catch {
      this.#fail()
      return failedThread
    } finally {
      clearTimeout(timer)
      this.#under.delete(batch)
    }
  }

  /** Ends the thread, even during an export. */
  async close(): Promise<void> {
    const thread = this.#thread
    this.#thread = undefined
    await thread?.terminate()
  }

  #started(): Worker {
    if (this.#thread) return this.#thread
    const thread = this.threads.start(this.#options)
    this.#thread = thread
    thread.unref()
    thread.on('message', ({ batch, failure }: BatchOutcome) => this.#under.get(batch)?.(failure))
    const gone = () => thread === this.#thread && this.#fail()
    thread.on('error', gone)
    thread.on('exit', gone)
    return thread
  }

  /** The thread has failed. */
  #fail(): void {
    this.#failedAt = performance.now()
    void this.close().catch(() => {})
    for (const settle of this.#under.values()) settle(failedThread)
  }
}

const failedThread: ExportFailure = { name: 'ExportThreadFailed', code: undefined }

const unreferenced = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref())
