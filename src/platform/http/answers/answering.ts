/** Ends every request: turns its result or error into a response, measures it and, if configured, logs it. */
import type { HttpLatency } from '../../operating/latency.ts'
import type { Logger } from '../../operating/logger.ts'
import type { HttpRefusals } from '../../operating/refusals.ts'
import { Repeats } from '../../repeats.ts'
import type { Clock } from '../../time/clock.ts'
import type { Tracing } from '../../tracing/tracing.ts'
import { replayed } from '../changes/idempotency.ts'
import type { Progress } from '../guard/checks.ts'
import { comesAfterFinding, foundFirst } from '../guard/find.ts'
import type { ApiError } from './errors.ts'
import { describeFailure, logFailure, publicError, toApiError } from './failure.ts'
import { type ResponseSettings, responder } from './respond.ts'

/** The shape of errors for clients of another protocol, below its path. */
export interface ErrorShape {
  prefix: string
  /** The status may differ; headers are added. A text needs its content type. */
  show(error: ApiError, requestId: string): { status: number; body: object | string; headers?: Record<string, string> }
}

interface AnsweringParts {
  /** Omitted: all errors have the shape of the API. */
  errorShapes?: readonly ErrorShape[] | undefined
  logger: Logger
  latency: HttpLatency
  refusals: HttpRefusals
  publicUrl: string
  clock: Pick<Clock, 'now'>
  /** null: traces are disabled. */
  tracing?: Tracing | null
}

/** The request, as far as an error needs it. */
interface RequestContext {
  request: Request
  set: ResponseSettings
  /** What the guard has found out about the request. */
  progress: Progress
}

/** The request that is being answered. */
interface Ending extends RequestContext {
  route: string
  /** From `performance.now()`; undefined when no route was found. */
  startedAt: number | undefined
}

const statusOf = (answer: unknown, set: ResponseSettings): number =>
  answer instanceof Response && answer.status !== 200 ? answer.status : Number(set.status ?? 200)

export function answering({
  logger,
  latency,
  refusals,
  publicUrl,
  clock,
  errorShapes = [],
  tracing = null,
}: AnsweringParts) {
  const respond = responder(publicUrl)
  const outages = new Repeats(clock)
  const logsAnswers = logger.isLevelEnabled('debug')

  function describe(thrown: unknown, { request, set, progress }: RequestContext): unknown {
    const answer = toApiError(thrown)
    logFailure({ logger, outages }, answer, thrown, request, progress)
    tracing?.failRequest(answer.code)
    set.status = answer.status
    describeFailure(answer, set.headers)
    const { pathname } = new URL(request.url)
    const shape = errorShapes.find(({ prefix }) => pathname.startsWith(prefix))
    if (!shape) return publicError(answer, progress.requestId)
    const { status, body, headers } = shape.show(answer, progress.requestId)
    set.status = status
    Object.assign(set.headers, headers)
    return body
  }

  /**
   * The error as the caller sees it. Sets its status and headers, and logs the cause. Returns a promise when it first has
   * to find out whether the resource in the path exists.
   */
  function fail(thrown: unknown, context: RequestContext): unknown {
    const { progress } = context
    if (!comesAfterFinding(thrown, progress)) return describe(thrown, context)
    return foundFirst(thrown, progress).then((failure) => describe(failure, context))
  }

  /** Measures, logs and completes the answer. */
  function finish(answer: unknown, { request, set, route, startedAt, progress }: Ending): unknown {
    const status = statusOf(answer, set)
    // a replayed answer changes nothing
    if (set.headers[replayed] === undefined) progress.trail?.end(status)
    const now = performance.now()
    const seconds = startedAt === undefined ? 0 : (now - startedAt) / 1000
    latency.observe(route, request.method, status, seconds)
    if (status >= 400) refusals.count(route, request.method, status)
    const { requestId, requestIdFrom } = progress
    if (logsAnswers) {
      const answered = { requestId, requestIdFrom, method: request.method, route, status, seconds }
      logger.debug(answered, 'request answered')
    }
    tracing?.endRequest({ request, route, status, requestId })
    const response = respond(answer, set, requestId)
    progress.use?.end(now)
    return response
  }

  /** The same for an asynchronous answer, which may turn out to be an error. */
  const finishLater = (answer: Promise<unknown>, ending: Ending): Promise<unknown> =>
    answer.then(
      (value) => finish(value, ending),
      async (thrown) => finish(await fail(thrown, ending), ending),
    )

  return { fail, finish, finishLater }
}
