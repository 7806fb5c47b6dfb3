/** The parts from which the areas of the API are built: each area names those that it needs. */
import type { Registry } from 'prom-client'
import { areas } from '../areas.ts'
import type { Config } from '../config.ts'
import type { Area } from '../platform/area.ts'
import type { Logger } from '../platform/operating/logger.ts'
import type { RunnerTokens } from '../runs/attempts/tokens.ts'
import type { Runs } from '../runs/service.ts'
import type { StatechartParts } from '../runtime/statecharts/routes.ts'
import type { AssertContractEnded } from '../tenancy/deletions/requests.ts'
import type { FindTemplate } from '../tenancy/projects/new-project.ts'
import type { AccessOfAreas } from './access.ts'
import type { Core } from './core.ts'

/** Settings, under the names of the configuration. */
type Settings = Pick<
  Config,
  'createOrganizations' | 'rateLimitPerMinute' | 'auditRetentionDays' | 'operationRetentionDays' | 'runRetentionDays'
>

/** All that the core has, and what is made with it for requests. */
export interface AreaParts extends Core, Settings, AccessOfAreas, Pick<StatechartParts, 'charts'> {
  logger: Logger
  /** What `/metrics` shows. */
  registry: Registry
  /** What a new Project may be made from. */
  findTemplate: FindTemplate
  runs: Runs
  /** `{base_url}`, known once the server listens. */
  publicUrl(): string
  /** What runners authenticate with. */
  tokens: RunnerTokens
  assertContractEnded: AssertContractEnded
}

/** The areas as the server uses them. An area that needs what is not among the parts does not compile here. */
export const allAreas: readonly Area<AreaParts>[] = areas
