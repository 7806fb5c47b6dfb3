/** The parts from which the areas of the API are built; each area declares those that it needs. */
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

/** Settings, under their names in the configuration. */
type Settings = Pick<
  Config,
  'createOrganizations' | 'auditRetentionDays' | 'eventRetentionDays' | 'operationRetentionDays' | 'runRetentionDays'
>

/** The core, and the parts that handle requests. */
export interface AreaParts extends Core, Settings, AccessOfAreas, Pick<StatechartParts, 'charts'> {
  logger: Logger
  /** The registry of `/metrics`. */
  registry: Registry
  /** The templates of new Projects. */
  findTemplate: FindTemplate
  runs: Runs
  /** `{base_url}`, known once the server listens. */
  publicUrl(): string
  /** The token of runners. */
  tokens: RunnerTokens
  assertContractEnded: AssertContractEnded
}

/** The areas with their parts. An area that needs a part that is missing does not compile here. */
export const allAreas: readonly Area<AreaParts>[] = areas
