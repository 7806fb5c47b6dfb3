/** The Elysia app: what all requests share, then one plugin per area. Tests start here too. Source: design 2. */
import { type AnyElysia, Elysia } from 'elysia'
import type { Registry } from 'prom-client'
import { docsRoutes } from './docs/routes.ts'
import { describeFailure, logFailure, publicError, toApiError } from './http/failure.ts'
import type { Guarded } from './http/guarded.ts'
import { withHead } from './http/head.ts'
import { routeMisses } from './http/methods.ts'
import { requestIdOf } from './http/request-id.ts'
import { type ResponseSettings, responder } from './http/respond.ts'
import { factsOf } from './http/route.ts'
import type { HealthChecks } from './operating/health.ts'
import type { HttpLatency } from './operating/latency.ts'
import type { Lifecycle } from './operating/lifecycle.ts'
import type { Logger } from './operating/logger.ts'
import { operatingRoutes } from './operating/routes.ts'

export interface AppParts {
  guarded: Guarded
  logger: Logger
  latency: HttpLatency
  lifecycle: Lifecycle
  registry: Registry
  /** What readiness depends on. */
  checks: HealthChecks
  /** `{base_url}`, without a slash at the end. */
  publicUrl: string
  /** The product's version, for the API document. */
  version: string
  /** One plugin per area, each built on `guarded`. */
  areas: AnyElysia[]
}

/** What Bun serves with: bodies are bounded by each route, quiet streams live, and no error page tells of our code. */
const serve = { development: false, reusePort: false, idleTimeout: 60, maxRequestBodySize: Number.MAX_SAFE_INTEGER }

/** The route in metrics of a request that no route takes. */
const unmatched = 'unmatched'

/** The parts of Elysia's context that all answers need; the last two are left there by the checks of the route. */
interface Context {
  request: Request
  set: ResponseSettings
  response: unknown
  route: string | undefined
  startedAt?: number
  requestId?: string
}

/** A route that forgot its guard, or to say what its path ids look like, must not start. */
function assertDeclared(app: AnyElysia): void {
  for (const { method, path, hooks } of app.routes) {
    const facts = factsOf(hooks)
    if (!facts) throw new Error(`${method} ${path} names no permission, publicAccess or runner`)
    const named = Object.keys(facts.params?.properties ?? {})
    const missing = [...path.matchAll(/:([^/]+)/g)].map(([, name]) => name!).filter((name) => !named.includes(name))
    if (missing.length > 0) throw new Error(`${method} ${path} has no schema for ${missing.join(', ')}`)
  }
}

export function createApp(parts: AppParts) {
  const { guarded, logger, latency, lifecycle, registry, checks, publicUrl, version, areas } = parts
  const debugs = logger.isLevelEnabled('debug')
  const respond = responder(publicUrl)
  const missOf = routeMisses(() => app.routes)

  const app = new Elysia({
    name: 'troupe',
    // one router for the server and for tests; short host names are fine
    systemRouter: false,
    handler: { standardHostname: false },
    normalize: false,
    serve,
  })
    .wrap(withHead as never)
    .onError((context) => {
      // taken apart before any call: Elysia reads the text of a hook, see http/checks.ts
      const {
        request,
        set,
        code,
        error: thrown,
        requestId: known,
      } = context as typeof context & Pick<Context, 'requestId'>
      const requestId = known ?? requestIdOf(request.headers.get('x-request-id'))
      const answer = code === 'NOT_FOUND' ? missOf(new URL(request.url).pathname) : toApiError(thrown)
      logFailure(logger, answer, thrown, request, requestId)
      set.status = answer.status
      describeFailure(answer, set.headers as Record<string, string | number>)
      ;(context as Partial<Context>).requestId = requestId
      return publicError(answer, requestId)
    })
    .mapResponse((context) => {
      const { request, set, response: answer, route = unmatched, startedAt, requestId } = context as Context
      const status = answer instanceof Response && answer.status !== 200 ? answer.status : Number(set.status ?? 200)
      const seconds = startedAt === undefined ? 0 : (performance.now() - startedAt) / 1000
      latency.observe(route, request.method, status, seconds)
      if (debugs) logger.debug({ requestId, method: request.method, route, status, seconds }, 'request answered')
      return respond(answer, set, requestId!) as never
    })

  const allRoutes = () => app.routes
  const shared = [
    operatingRoutes({ guarded, lifecycle, checks, registry }),
    docsRoutes({ guarded, allRoutes, publicUrl, version }),
  ]
  for (const area of [...shared, ...areas]) app.use(area)
  assertDeclared(app)
  return app
}

export type App = ReturnType<typeof createApp>
