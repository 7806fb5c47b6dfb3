/** The end of every request: what was answered or thrown becomes a response, is measured and, when asked for, logged. */
import type { HttpLatency } from '../operating/latency.ts'
import type { Logger } from '../operating/logger.ts'
import { describeFailure, logFailure, type PublicApiError, publicError, toApiError } from './failure.ts'
import { type ResponseSettings, responder } from './respond.ts'
import type { Trail } from './trail.ts'

export interface AnsweringParts {
  logger: Logger
  latency: HttpLatency
  publicUrl: string
}

/** The request that is answered. */
export interface Ending {
  request: Request
  set: ResponseSettings
  route: string
  /** By `performance.now()`; undefined when no route was found. */
  startedAt: number | undefined
  requestId: string
  /** Of a request that changes something. */
  trail?: Trail | undefined
}

const statusOf = (answer: unknown, set: ResponseSettings): number =>
  answer instanceof Response && answer.status !== 200 ? answer.status : Number(set.status ?? 200)

export function answering({ logger, latency, publicUrl }: AnsweringParts) {
  const respond = responder(publicUrl)
  const logsAnswers = logger.isLevelEnabled('debug')

  /** The error as the caller hears it; the settings get its status and headers, the log the whole story. */
  function fail(thrown: unknown, set: ResponseSettings, request: Request, requestId: string): PublicApiError {
    const answer = toApiError(thrown)
    logFailure(logger, answer, thrown, request, requestId)
    set.status = answer.status
    describeFailure(answer, set.headers)
    return publicError(answer, requestId)
  }

  /** Measures, logs and completes the answer. */
  function finish(answer: unknown, { request, set, route, startedAt, requestId, trail }: Ending): unknown {
    const status = statusOf(answer, set)
    // an answer given again is no second change
    if (set.headers['idempotency-replayed'] === undefined) trail?.end(status)
    const seconds = startedAt === undefined ? 0 : (performance.now() - startedAt) / 1000
    latency.observe(route, request.method, status, seconds)
    if (logsAnswers) logger.debug({ requestId, method: request.method, route, status, seconds }, 'request answered')
    return respond(answer, set, requestId)
  }

  /** The same for an answer that is still to come, and may turn out to be an error. */
  const finishLater = (answer: Promise<unknown>, ending: Ending): Promise<unknown> =>
    answer.then(
      (value) => finish(value, ending),
      (thrown) => finish(fail(thrown, ending.set, ending.request, ending.requestId), ending),
    )

  return { fail, finish, finishLater }
}
