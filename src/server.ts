/** The server: the core behind the HTTP app, listening. What `main.ts` starts and stops. */
import packageJson from '../package.json'
import { isMember } from '../storage/organizations.ts'
import { openAccess } from './access.ts'
import { type App, createApp } from './app.ts'
import { type AreaParts, areasOf } from './areas.ts'
import { registerStreamMetrics } from './authority/stream-metrics.ts'
import { watchedSubscriptions } from './billing/watched.ts'
import { choresOf } from './chores.ts'
import { type Config, publicUrlOf } from './config.ts'
import { type Core, openCore, startCore, stopCore } from './core.ts'
import { watchedDeletions } from './deletions/receipts.ts'
import { watchedDeployments } from './deployments/watched.ts'
import { watchedEntities } from './entities/watched.ts'
import { watchedEnvironments } from './environments/watched.ts'
import { EventRetention } from './events/retention.ts'
import { createCursors } from './http/cursor.ts'
import { originalOf } from './http/head.ts'
import { Idempotency } from './http/idempotency.ts'
import { watchedIntegrations } from './integrations/watched.ts'
import { watchedJobs } from './jobs/watched.ts'
import { schemaWorkers } from './json-schemas/checks.ts'
import type { HealthChecks } from './operating/health.ts'
import { Housekeeping } from './operating/housekeeping.ts'
import { HttpLatency } from './operating/latency.ts'
import { Lifecycle } from './operating/lifecycle.ts'
import type { Logger } from './operating/logger.ts'
import { MetricsAccess } from './operating/metrics-access.ts'
import { holdPort } from './operating/port.ts'
import { registerProcessMetrics } from './operating/process-metrics.ts'
import { Registry } from './operating/prometheus.ts'
import { registerStoreMetrics } from './operating/store-metrics.ts'
import { WriteProof } from './operating/write-proof.ts'
import { registerInvocationMetrics } from './operations/invocations/metrics.ts'
import { watchedInvocations } from './operations/invocations/watched.ts'
import { Presets } from './presets/catalogue.ts'
import { agentResolver } from './runs/agents.ts'
import { runnerRoutes } from './runs/attempts/routes.ts'
import { BindingResolver } from './runs/bindings.ts'
import { registerRunMetrics } from './runs/metrics.ts'
import { ProjectAgents } from './runs/project-agents.ts'
import { runRoutes } from './runs/routes.ts'
import { createRuns } from './runs/service.ts'
import { watchedRuns } from './runs/watched.ts'
import { type Clock, systemClock } from './runtime/clock.ts'
import { deriveKey, loadMasterKeys } from './secrets/keyring.ts'
import { type FirstCredentials, firstStart } from './setup/first-start.ts'
import { charts } from './statecharts/catalogue.ts'
import { statechartRoutes } from './statecharts/routes.ts'
import { registerDeliveryMetrics } from './webhooks/deliveries/metrics.ts'
import { watchedDeliveries } from './webhooks/deliveries/watched.ts'
import { watchedRecoveries } from './webhooks/recoveries/watched.ts'
import { registerWorkflowMetrics } from './workflows/metrics.ts'
import { watchedWorkflowRuns } from './workflows/watched.ts'

const drainMs = 15_000
/** Mails under way get so long at a planned stop. */
const mailGraceMs = 2_000
const dayMs = 86_400_000

export interface RunningServer {
  /** Where it listens, for people. */
  url: string
  publicUrl: string
  /** Takes no more work, hands back what runs, closes everything. */
  stop(): Promise<void>
}

/** What a first start has made, and what runners elsewhere register with, unless the operator has chosen it. */
export interface FirstSecrets extends FirstCredentials {
  generatedRunnerToken: string | null
}

export interface Surroundings {
  /** Tests pass one of their own. */
  clock?: Clock
  /** Shows the secrets of a first start; awaited before they count, so that none is lost with its process. */
  show?: (secrets: FirstSecrets) => Promise<void>
}

/**
 * Starts the server. What can fail comes first: the port is taken before anything is made, and the first credentials are
 * shown and made when all else is there. Throws, with one line for the operator, when it cannot.
 */
export async function startServer(
  config: Config,
  logger: Logger,
  { clock = systemClock, show = async () => {} }: Surroundings = {},
): Promise<RunningServer> {
  const held = holdPort(config)
  const ring = loadMasterKeys(config)
  const presets = await Presets.open(config, () => publicUrlOf(config, app.server?.port ?? config.port))
  const listeningUrl = () => publicUrlOf(config, app.server?.port ?? config.port)
  const consoleUrl = () => config.consoleUrl ?? listeningUrl()
  const core = await openCore(config, logger, clock, ring, consoleUrl)
  const { store, vault, actors, attempts, mails } = core
  const { version } = packageJson

  const lifecycle = new Lifecycle()
  const access = await openAccess({
    config,
    core,
    ring,
    clock,
    logger,
    lifecycle,
    socketAddressOf: (request) => app.server?.requestIP(originalOf(request))?.address,
  })
  const { guarded } = access
  core.removal.wire({ actors, revocations: access.forAreas.revocations })
  core.oauth.wire({
    presets,
    audit: access.forAreas.audit,
    publicUrl: () => publicUrlOf(config, app.server?.port ?? config.port),
    consoleUrl: config.consoleUrl,
  })
  const publicUrl = publicUrlOf(config, config.port)
  core.billing.servedAt(listeningUrl)
  const cursors = createCursors(deriveKey(ring, 'cursors'))
  const idempotency = new Idempotency({ store, clock })
  const eventRetention = new EventRetention({ store, clock, days: config.eventRetentionDays })

  const registry = new Registry()
  const latency = new HttpLatency()
  latency.register(registry)
  registerStoreMetrics(registry, store, actors)
  registerDeliveryMetrics({
    registry,
    store,
    actors,
    inFlight: () => core.deliveryWork.inFlight,
  })
  registerInvocationMetrics({ registry, store, actors, invocations: core.invocations })
  registerRunMetrics({ registry, store, actors, attempts, clock, states: actors.table('run').states })
  registerWorkflowMetrics({ registry, actors })
  registerStreamMetrics(registry, access.forAreas.streams)
  registerProcessMetrics(registry)

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
    approvals: core.invocations,
    reserve: core.billing.usage.reserve,
    isMember: (organizationId, userId) => isMember(store, organizationId, userId),
    contentRetentionMs: Math.ceil(config.contentRetentionDays * dayMs),
    version,
    onDamaged: (damage) => core.onError(damage, 'a stored record'),
  })
  core.jobWork.wire({ actors, starts: runs.starts })
  core.agentCalls.wire({ store, actors, starts: runs.starts })
  const areaParts: AreaParts = {
    ...access.forAreas,
    store,
    vault,
    clock,
    leases: core.leases,
    logger,
    actors,
    cursors,
    idempotency,
    systemAgents: core.systemAgents,
    announcements: core.announcements,
    eventRetention,
    bundles: core.bundles,
    outboundPolicy: core.outboundPolicy,
    baseUrls: core.baseUrls,
    deliveryWork: core.deliveryWork,
    invocations: core.invocations,
    workflowWork: core.workflowWork,
    billing: core.billing,
    consoleUrl,
    mails,
    runStarts: runs.starts,
    createOrganizations: config.createOrganizations,
    rateLimitPerMinute: config.rateLimitPerMinute,
    contentRetention: runs.contentRetention,
    runRetention: runs.runRetention,
    exclusiveness: core.exclusiveness,
    presets,
    oauth: core.oauth,
  }
  const app: App = createApp({
    guarded,
    logger,
    latency,
    lifecycle,
    registry,
    metricsAccess: new MetricsAccess({ token: config.metricsToken, ...access.forAreas }),
    checks: readinessChecks(core),
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
        modelCalls: attempts.modelCalls,
        tokens: access.tokens,
      }),
      ...areasOf(areaParts),
      statechartRoutes({
        guarded,
        actors,
        store,
        clock,
        charts,
        watched: [
          watchedRuns(attempts.kind, runs.access, runs.control),
          watchedEnvironments(store),
          watchedDeployments(core.deploymentWork.kind, store),
          watchedDeliveries(core.deliveryWork, store),
          watchedRecoveries(core.recoveryWork.kind, store),
          watchedInvocations(core.invocations, store),
          watchedJobs(core.jobWork.kind, store),
          watchedWorkflowRuns(core.workflowWork.kind, store),
          watchedSubscriptions(core.billing.work.kind, store),
          watchedDeletions(core.removal.kind, store),
          watchedEntities(store),
          watchedIntegrations(store),
        ],
        onError: core.onError,
      }),
    ],
  })

  const housekeeping = new Housekeeping(clock, choresOf(areaParts, config), core.onError)

  await startCore(core)
  housekeeping.start()
  const { warning } = await firstStart(
    store,
    clock,
    {
      ownerEmail: config.ownerEmail,
      ...(config.ownerPassword ? { ownerPassword: config.ownerPassword.reveal() } : {}),
      ...(config.bootstrapApiKey ? { bootstrapApiKey: config.bootstrapApiKey.reveal() } : {}),
    },
    (made) => show({ ...made, generatedRunnerToken: config.runnerToken ? null : access.runnerToken }),
  )
  if (warning) logger.warn(warning)
  held.handTo(() => app.listen({ port: config.port, hostname: config.host }))
  const { port } = app.server as { port: number }
  // its links name the port
  mails?.start()

  return {
    url: `http://${config.host === '0.0.0.0' ? '127.0.0.1' : config.host}:${port}`,
    publicUrl: publicUrlOf(config, port),
    async stop() {
      lifecycle.drain()
      runs.streams.close()
      runs.outcomes.close()
      await housekeeping.stop()
      await mails?.stop(mailGraceMs)
      await access.forAreas.audit.flush()
      await stopCore(core, drainMs)
      await access.close()
      await app.stop(true)
      schemaWorkers.close()
    },
  }
}

/** What readiness depends on. */
const readinessChecks = ({ store, clock, redisUrl, leases, pool }: Core): HealthChecks => ({
  store: new WriteProof({ store, clock }).check,
  ...(redisUrl && {
    redis: async () => {
      const health = await leases.health()
      if (health !== 'ok') throw new Error(health)
    },
  }),
  ...(pool && {
    runner: () => {
      if (pool.statistics().failing) throw new Error('The embedded runner does not get work.')
    },
  }),
})
