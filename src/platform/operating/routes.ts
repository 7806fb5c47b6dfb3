/** The routes for operators and their tools: `/healthz`, `/readyz`, `/metrics`. Source: contract 9. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { Registry } from 'prom-client'
import { doc } from '../http/doc.ts'
import type { Guarded } from '../http/guard/guarded.ts'
import { nullable, oneOf } from '../http/schema.ts'
import { type HealthChecks, type ProcessFacts, readiness } from './health.ts'
import type { Lifecycle } from './lifecycle.ts'
import type { MetricsAccess } from './metrics-access.ts'
import { scrapesOf } from './prometheus.ts'

const Alive = Type.Object({ status: oneOf(['alive']) }, { $id: 'Alive', description: 'The process is running.' })
const Ready = Type.Object(
  {
    status: oneOf(['ready', 'not_ready', 'shutting_down']),
    checks: Type.Record(Type.String(), oneOf(['ok', 'failing']), { description: 'The state of each part, by name.' }),
    process: Type.Optional(
      Type.Object(
        {
          id: Type.String({ description: 'The id of the process, new at each start.' }),
          clockSkewMs: Type.Integer({ description: "The offset of its clock from the store's, in milliseconds." }),
          clock: oneOf(['ok', 'skewed'], { description: '`skewed`: more than a second from the store. Use NTP.' }),
          lagMs: nullable(Type.Integer({ minimum: 0, description: 'The age of its longest overdue work.' })),
          slots: Type.Array(Type.Integer({ minimum: 0, maximum: 63 }), {
            description: 'The slots whose background work it does; a server alone has all 64.',
          }),
        },
        { description: 'Further information for operators, which does not affect readiness.' },
      ),
    ),
  },
  { $id: 'Readiness', description: 'Whether each dependency of the server is available.' },
)

interface OperatingParts {
  guarded: Guarded
  lifecycle: Lifecycle
  checks: HealthChecks
  facts?: ProcessFacts | undefined
  registry: Registry
  /** Without it, `/metrics` is open. */
  metricsAccess?: MetricsAccess | undefined
}

export function operatingRoutes({ guarded, lifecycle, checks, facts, registry, metricsAccess }: OperatingParts) {
  const scrape = scrapesOf(registry)
  return new Elysia({ name: 'operating', tags: ['Operating'] })
    .use(guarded)
    .get('/healthz', () => ({ status: 'alive' as const }), {
      publicAccess: true,
      anyQuery: true,
      response: { 200: Alive },
      detail: doc('getHealth', 'Whether the server is alive'),
    })
    .get(
      '/readyz',
      async ({ set }) => {
        const ready = await readiness(checks, lifecycle, facts)
        if (ready.status !== 'ready') {
          set.status = 503
          set.headers['retry-after'] = '1'
        }
        return ready
      },
      {
        publicAccess: true,
        anyQuery: true,
        response: { 200: Ready, 503: Ready },
        detail: doc('getReadiness', 'Whether the server is ready for work'),
      },
    )
    .get(
      '/metrics',
      async ({ request, set }) => {
        await metricsAccess?.assert(request)
        set.headers['content-type'] = registry.contentType
        return scrape()
      },
      {
        publicAccess: true,
        anyQuery: true,
        errors: ['unauthenticated', 'invalid_metrics_token', 'rate_limited'],
        detail: doc(
          'getMetrics',
          'Metrics for Prometheus',
          'If the operator has set `TROUPE_METRICS_TOKEN`, send it as `Authorization: Bearer`.',
          {
            responses: {
              200: { description: 'The metrics.', content: { 'text/plain': { schema: { type: 'string' } } } },
            },
          },
        ),
      },
    )
}
