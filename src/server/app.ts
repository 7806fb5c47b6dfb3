/** The Elysia app: everything that requests share, then one plugin per area. Tests start here too. Source: design 2. */
import http from 'node:http'
import { type AnyElysia, Elysia } from 'elysia'
import type { Registry } from 'prom-client'
import { embedRoutes } from '../console/embed/serve.ts'
import { consoleRoutes } from '../console/serve.ts'
import { eventDescriptions } from '../events/kinds/described.ts'
import { docsRoutes } from '../platform/docs/routes.ts'
import { answering, type ErrorShape } from '../platform/http/answers/answering.ts'
import { type Handle, withHead } from '../platform/http/answers/head.ts'
import { withHost } from '../platform/http/answers/host.ts'
import { isRead, routeMisses } from '../platform/http/answers/methods.ts'
import { type RequestId, requestIdOf } from '../platform/http/answers/request-id.ts'
import type { ResponseSettings } from '../platform/http/answers/respond.ts'
import type { Progress } from '../platform/http/guard/checks.ts'
import type { Guarded } from '../platform/http/guard/guarded.ts'
import { factsOf } from '../platform/http/guard/route.ts'
import type { HealthChecks, ProcessFacts } from '../platform/operating/health.ts'
import type { HttpLatency } from '../platform/operating/latency.ts'
import type { Lifecycle } from '../platform/operating/lifecycle.ts'
import type { Logger } from '../platform/operating/logger.ts'
import type { MetricsAccess } from '../platform/operating/metrics-access.ts'
import { HttpRefusals } from '../platform/operating/refusals.ts'
import { operatingRoutes } from '../platform/operating/routes.ts'
import type { Clock } from '../platform/time/clock.ts'
import type { Tracing } from '../platform/tracing/tracing.ts'

export interface AppParts {
  guarded: Guarded
  logger: Logger
  latency: HttpLatency
  clock: Pick<Clock, 'now'>
  lifecycle: Lifecycle
  registry: Registry
  /** Omitted: `/metrics` is open. */
  metricsAccess?: MetricsAccess
  /** The checks of readiness. */
  checks: HealthChecks
  /** Facts about this process that readiness shows. */
  facts?: ProcessFacts
  /** `{base_url}`, without a trailing slash. */
  publicUrl: string
  /** The product's version, for the API document. */
  version: string
  /** Origins whose pages may frame embedded charts, separated by commas, or `*`; null: only the console's. */
  embedAncestors?: string | null
  /** null: traces are disabled. */
  tracing?: Tracing | null
  /** Paths with another shape of errors. */
  errorShapes?: readonly ErrorShape[]
  /** One plugin per area, each built on `guarded`. */
  areas: AnyElysia[]
}

/** Bun's options: each route bounds its bodies, quiet streams stay open, and no error page reveals code. */
const serve = { development: false, reusePort: false, idleTimeout: 60, maxRequestBodySize: Number.MAX_SAFE_INTEGER }

/**
 * The limit of a request's line and headers. Bun itself answers longer ones, with 431 and without a body. Its default
 * of 16 KiB would refuse long queries, such as cursors, before the server can explain the error. This is the only way
 * to set it.
 */
const headBytesMax = 64 * 1024
Object.assign(http, { maxHeaderSize: headBytesMax })

/** The route in metrics of requests without a route. */
const unmatched = 'unmatched'

/** The parts of Elysia's context that all answers need; the checks of the route set the last two. */
interface Context {
  request: Request
  set: ResponseSettings
  response: unknown
  route: string | undefined
  startedAt?: number
  requestId?: string
  requestIdFrom?: RequestId['requestIdFrom']
  progress?: Progress
}

/** The fields that Elysia adds after an exception. */
interface Failed {
  code: unknown
  error: unknown
}

/** The resources that the guard itself looks up, if the path has them in this order. */
const lookedUpByTheGuard = (named: string[]) =>
  new Set(['organizationIdOrSlug', ...(named.includes('projectId') ? ['projectId', 'environmentId', 'agentId'] : [])])

/** Throws at the start if a route lacks its guard, the patterns and finders of its path ids, or its changes. */
function assertDeclared(app: AnyElysia): void {
  for (const { method, path, hooks } of app.routes) {
    const facts = factsOf(hooks)
    if (!facts) throw new Error(`${method} ${path} names no permission, signedIn, publicAccess or runner`)
    const isOfUser = ['permission', 'identity', 'session'].includes(facts.access.kind)
    if (isOfUser && !isRead(method) && facts.resource === undefined)
      throw new Error(`${method} ${path} does not say what it changes`)
    const named = Object.keys(facts.params?.properties ?? {})
    const ids = path.split('/').flatMap((part) => (part.startsWith(':') ? part.slice(1) : []))
    const missing = ids.filter((name) => !named.includes(name))
    if (missing.length > 0) throw new Error(`${method} ${path} has no schema for ${missing.join(', ')}`)
    const byTheGuard = lookedUpByTheGuard(facts.access.kind === 'permission' ? named : [])
    const beyond = named.filter((name) => !byTheGuard.has(name))
    if (beyond.length > 0 && !facts.find)
      throw new Error(`${method} ${path} does not say how to find ${beyond.join(', ')}`)
  }
}

export function createApp(parts: AppParts) {
  const {
    guarded,
    logger,
    latency,
    clock,
    lifecycle,
    registry,
    checks,
    facts,
    publicUrl,
    version,
    areas,
    metricsAccess,
    embedAncestors = null,
    tracing = null,
  } = parts
  const refusals = new HttpRefusals(() => app.routes)
  refusals.register(registry)
  const { fail, finish, finishLater } = answering({
    logger,
    latency,
    refusals,
    clock,
    publicUrl,
    errorShapes: parts.errorShapes,
    tracing,
  })
  const missOf = routeMisses(() => app.routes)
  /** The next request goes to a server that stays. */
  const setConnection = (set: ResponseSettings) => {
    if (lifecycle.leaving) set.headers = { ...set.headers, connection: 'close' }
  }

  const ofHost = withHost(publicUrl)
  const around = (handle: Handle): Handle =>
    ofHost(tracing ? tracing.aroundRequests(withHead(handle)) : withHead(handle))

  const app = new Elysia({
    name: 'troupe',
    // one router for the server and for tests; short host names work too
    systemRouter: false,
    handler: { standardHostname: false },
    normalize: false,
    serve,
  })
    .wrap(around as never)
    .onError((context) => {
      // destructured before any call: Elysia reads the source of a hook, see http/checks.ts
      const { request, set, code, error: thrown, progress: known } = context as unknown as Context & Failed
      setConnection(set)
      const progress = known ?? requestIdOf(request.headers.get('x-request-id'))
      ;(context as Partial<Context>).progress = progress
      const cause = code === 'NOT_FOUND' ? missOf(new URL(request.url).pathname) : thrown
      return fail(cause, { request, set, progress })
    })
    .mapResponse((context) => {
      const { request, set, response: answer, route, startedAt, progress } = context as Context
      setConnection(set)
      const about = { request, set, route: route ?? unmatched, startedAt, progress: progress! }
      // Elysia awaits only handlers that look asynchronous: others may still answer with a promise
      return (answer instanceof Promise ? finishLater(answer, about) : finish(answer, about)) as never
    })

  const allRoutes = () => app.routes
  // with port 0 the system chooses a port, known once the server listens
  const documentedUrl = () => publicUrl.replace(/:0$/, `:${app.server?.port ?? 0}`)
  const shared = [
    operatingRoutes({ guarded, lifecycle, checks, facts, registry, metricsAccess }),
    consoleRoutes({ guarded, version }),
    embedRoutes({ guarded, ancestors: embedAncestors }),
    docsRoutes({ guarded, allRoutes, sent: eventDescriptions, publicUrl: documentedUrl, version }),
  ]
  for (const area of [...shared, ...areas]) app.use(area)
  assertDeclared(app)
  return app
}

export type App = ReturnType<typeof createApp>
