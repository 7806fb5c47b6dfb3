/** The server: the core behind the HTTP app, listening. What `main.ts` starts and stops. */
import { collectDefaultMetrics, Registry } from 'prom-client'
import type { RunContext } from '../machines/run.ts'
import packageJson from '../package.json'
import { isMember } from '../storage/organizations.ts'
import { type App, createApp } from './app.ts'
import { type AreaParts, tenancyAreas } from './areas.ts'
import { AuditLog } from './audit/log.ts'
import { AuditRetention } from './audit/retention.ts'
import { ApiKeyCredentials } from './authority/api-keys.ts'
import { RequestAuthenticator } from './authority/authenticator.ts'
import { FailedAttempts } from './authority/failed-attempts.ts'
import { openRevocations } from './authority/revocations.ts'
import { SessionCredentials } from './authority/sessions.ts'
import { type Config, publicUrlOf } from './config.ts'
import { openCore, startCore, stopCore } from './core.ts'
import { pruneReceipts, watchedDeletions } from './deletions/receipts.ts'
import { watchedDeployments } from './deployments/watched.ts'
import { watchedEnvironments } from './environments/watched.ts'
import { EventRetention } from './events/retention.ts'
import { clientAddress } from './http/client-address.ts'
import { createCursors } from './http/cursor.ts'
import { ApiError } from './http/errors.ts'
import { createGuarded } from './http/guarded.ts'
import { originalOf } from './http/head.ts'
import { Idempotency } from './http/idempotency.ts'
import { Invitations } from './invitations/invitations.ts'
import { openLimits } from './limits/open.ts'
import type { HealthChecks } from './operating/health.ts'
import { Housekeeping } from './operating/housekeeping.ts'
import { HttpLatency } from './operating/latency.ts'
import { Lifecycle } from './operating/lifecycle.ts'
import type { Logger } from './operating/logger.ts'
import { registerStoreMetrics } from './operating/store-metrics.ts'
import { treeIn } from './projects/tree.ts'
import { agentResolver } from './runs/agents.ts'
import { runnerRoutes } from './runs/attempts/routes.ts'
import { RunnerTokens } from './runs/attempts/tokens.ts'
import { BindingResolver } from './runs/bindings.ts'
import { registerRunMetrics } from './runs/metrics.ts'
import { ProjectAgents } from './runs/project-agents.ts'
import { runRoutes } from './runs/routes.ts'
import { createRuns } from './runs/service.ts'
import { type Clock, systemClock } from './runtime/clock.ts'
import { deriveKey, loadMasterKeys } from './secrets/keyring.ts'
import { pruneSessions } from './sessions/service.ts'
import type { FirstStart } from './setup/first-start.ts'
import { charts } from './statecharts/catalogue.ts'
import { statechartRoutes } from './statecharts/routes.ts'
import { publicRunContext } from './statecharts/run-context.ts'
import type { WatchedKind } from './statecharts/watch.ts'
import { registerDeliveryMetrics } from './webhooks/deliveries/metrics.ts'
import { watchedDeliveries } from './webhooks/deliveries/watched.ts'

/** Failed authentications from one address in a minute. */
const failuresMax = 20
const drainMs = 15_000

export interface RunningServer {
  /** Where it listens, for people. */
  url: string
  publicUrl: string
  /** What the first start has made, to be shown once. */
  first: FirstStart
  /** What runners elsewhere register with, when it was made here and not by the operator. */
  generatedRunnerToken: string | null
  /** Takes no more work, hands back what runs, closes everything. */
  stop(): Promise<void>
}

/** Starts the server. Tests pass a clock of their own. Throws, with one line for the operator, when it cannot. */
export async function startServer(config: Config, logger: Logger, clock: Clock = systemClock): Promise<RunningServer> {
  const ring = loadMasterKeys(config)
  const core = await openCore(config, logger, clock, ring)
  const { store, vault, actors, attempts, leases, pool } = core
  const { version } = packageJson

  const runnerToken =
    config.runnerToken?.reveal() ?? `trr_${Buffer.from(deriveKey(ring, 'runner-registration')).toString('base64url')}`
  const tokens = new RunnerTokens(deriveKey(ring, 'attempt-tokens'), runnerToken)
  const lifecycle = new Lifecycle()
  const addressOf = (request: Request): string | undefined =>
    clientAddress(
      request.headers.get('x-forwarded-for'),
      app.server?.requestIP(originalOf(request))?.address,
      config.trustedProxies,
    )
  const publicUrl = publicUrlOf(config, config.port)
  const revocations = await openRevocations({ redisUrl: core.redisUrl, now: () => clock.now(), log: logger })
  core.removal.wire({ actors, revocations })
  const sessions = new SessionCredentials({
    store,
    clock,
    logger,
    key: deriveKey(ring, 'sessions'),
    secure: publicUrl.startsWith('https:'),
  })
  const audit = new AuditLog({ store, clock, logger })
  const failedAttempts = new FailedAttempts({ clock, failuresMax: config.rateLimitPerMinute === 0 ? 0 : failuresMax })
  const authenticator = new RequestAuthenticator({
    apiKeys: new ApiKeyCredentials({ store, clock, logger }),
    sessions,
    revocations,
    clock,
    addressOf,
    failedAttempts,
  })
  const limits = await openLimits({
    redisUrl: core.redisUrl,
    requestsPerMinute: config.rateLimitPerMinute,
    now: () => clock.now(),
    log: logger,
  })
  const guarded = createGuarded({
    authenticator,
    lifecycle,
    runnerCredentials: tokens,
    tree: treeIn(store),
    ...(limits.rateLimiter && { rateLimiter: limits.rateLimiter }),
    audit,
    addressOf,
  })
  const cursors = createCursors(deriveKey(ring, 'cursors'))
  const idempotency = new Idempotency({ store, clock })
  const eventRetention = new EventRetention({ store, clock, days: config.eventRetentionDays })

  const registry = new Registry()
  const latency = new HttpLatency()
  latency.register(registry)
  registerStoreMetrics(registry, store, actors)
  registerDeliveryMetrics({
    registry,
    actors,
    counts: core.deliveryWork.counts,
    inFlight: () => core.deliveryWork.inFlight,
  })
  registerRunMetrics({ registry, store, actors, attempts, clock, states: actors.table('run').states })
  collectDefaultMetrics({ register: registry, prefix: 'troupe_' })

  const checks: HealthChecks = {
    store: () => store.ping(),
    ...(core.redisUrl
      ? {
          redis: async () => {
            const health = await leases.health()
            if (health !== 'ok') throw new Error(health)
          },
        }
      : {}),
    ...(pool
      ? {
          runner: () => {
            if (pool.statistics().failing) throw new Error('The embedded runner does not get work.')
          },
        }
      : {}),
  }

  const runs = createRuns({
    store,
    actors,
    clock,
    cursors,
    idempotency,
    agents: agentResolver(
      { find: (agentId) => core.systemAgents.findEnabled(agentId) },
      new ProjectAgents({ store, actors, bundles: core.bundles, systemAgents: core.systemAgents }),
    ),
    bindings: new BindingResolver({
      platform: core.platform,
      baseUrls: core.baseUrls,
      credentials: core.secrets.credentials,
    }),
    assertBudget: () => {},
    isMember: (organizationId, userId) => isMember(store, organizationId, userId),
    version,
    onDamaged: (damage) => core.onError(damage, 'a stored record'),
  })
  const watchedRun: WatchedKind = {
    definition: attempts.kind,
    readPermission: 'agent-runs:get',
    async find(caller, id) {
      try {
        await runs.access.find(caller, id, 'agent-runs:get')
        return true
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return false
        throw error
      }
    },
    redact: (context) => publicRunContext(context as unknown as RunContext),
  }

  const areaParts: AreaParts = {
    failedAttempts,
    guarded,
    store,
    vault,
    clock,
    logger,
    actors,
    cursors,
    idempotency,
    revocations,
    sessions,
    signIns: limits.signIns,
    audit,
    systemAgents: core.systemAgents,
    announcements: core.announcements,
    eventRetention,
    bundles: core.bundles,
    outboundPolicy: core.outboundPolicy,
    baseUrls: core.baseUrls,
    deliveryWork: core.deliveryWork,
    addressOf,
  }
  const app: App = createApp({
    guarded,
    logger,
    latency,
    lifecycle,
    registry,
    checks,
    publicUrl,
    version,
    areas: [
      runRoutes({ guarded, runs }),
      runnerRoutes({
        guarded,
        store,
        actors,
        leasing: attempts.leasing,
        desk: attempts.desk,
        operations: attempts.operations,
        tokens,
      }),
      ...tenancyAreas(areaParts),
      statechartRoutes({
        guarded,
        actors,
        store,
        clock,
        charts,
        watched: [
          watchedRun,
          watchedEnvironments(store),
          watchedDeployments(core.deploymentWork.kind, store),
          watchedDeliveries(core.deliveryWork, store),
          watchedDeletions(core.removal.kind, store),
        ],
        onError: core.onError,
      }),
    ],
  })

  const invitations = new Invitations({ store, clock })
  const auditRetention = new AuditRetention({ store, clock, days: config.auditRetentionDays })
  const housekeeping = new Housekeeping(
    clock,
    [
      { name: 'idempotency keys', everyMs: 600_000, run: (limit) => idempotency.prune(limit) },
      { name: 'sessions', everyMs: 600_000, run: (limit) => pruneSessions(store, clock.now(), limit) },
      { name: 'events', everyMs: 600_000, run: (limit) => eventRetention.prune(limit) },
      { name: 'audit events', everyMs: 600_000, run: (limit) => auditRetention.prune(limit) },
      { name: 'invitations', everyMs: 600_000, run: (limit) => invitations.prune(limit) },
      { name: 'deliveries', everyMs: 60_000, run: (limit) => core.deliveryWork.retention.pruneExpired(limit) },
      { name: 'deleted webhooks', everyMs: 60_000, run: (limit) => core.deliveryWork.retention.pruneDeleted(limit) },
      { name: 'signing secrets', everyMs: 600_000, run: (limit) => core.deliveryWork.retention.pruneSecrets(limit) },
      { name: 'data keys', everyMs: 60_000, run: (limit) => vault.rewrap(limit) },
      {
        name: 'deletion receipts',
        everyMs: 600_000,
        run: (limit) => pruneReceipts({ store, clock, actors }, limit),
      },
    ],
    core.onError,
  )

  await startCore(core)
  housekeeping.start()
  app.listen({ port: config.port, hostname: config.host })
  const { port } = app.server as { port: number }

  return {
    url: `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${port}`,
    publicUrl: publicUrlOf(config, port),
    first: core.first,
    generatedRunnerToken: config.runnerToken ? null : runnerToken,
    async stop() {
      lifecycle.drain()
      runs.streams.close()
      housekeeping.stop()
      await stopCore(core, drainMs)
      await revocations.close()
      limits.close()
      await app.stop(true)
    },
  }
}
