/** The row types for Kysely. Timestamps are epoch milliseconds; JSON is text. The migrations define the rest. */

import type { JobTables } from './tables/agent-jobs.ts'
import type { BillingTables } from './tables/billing.ts'
import type { ConfigurationTables } from './tables/configuration.ts'
import type { DeliveryTables } from './tables/delivery.ts'
import type { EntityTables } from './tables/entities.ts'
import type { HistoryTables } from './tables/history.ts'
import type { IntegrationTables } from './tables/integrations.ts'
import type { NoticeTables } from './tables/notices.ts'
import type { OAuthTables } from './tables/oauth.ts'
import type { OperationTables } from './tables/operations.ts'
import type { ProjectsTables } from './tables/projects.ts'
import type { ReadinessTables } from './tables/readiness.ts'
import type { RunnerPoolTables } from './tables/runner-pools.ts'
import type { BulkActionTables } from './tables/runs/bulk-actions.ts'
import type { RunTallyTables } from './tables/runs/run-tallies.ts'
import type { RunsTables } from './tables/runs.ts'
import type { StateCountTables } from './tables/state-counts.ts'
import type { TenancyTables } from './tables/tenancy.ts'
import type { UsageTables } from './tables/usage.ts'
import type { WebhookTables } from './tables/webhooks.ts'
import type { WorkflowTables } from './tables/workflows.ts'

export type * from './tables/agent-jobs.ts'
export type * from './tables/billing.ts'
export type * from './tables/configuration.ts'
export type * from './tables/delivery.ts'
export type * from './tables/entities.ts'
export type * from './tables/history.ts'
export type * from './tables/integrations.ts'
export type * from './tables/notices.ts'
export type * from './tables/oauth.ts'
export type * from './tables/operations.ts'
export type * from './tables/projects.ts'
export type * from './tables/readiness.ts'
export type * from './tables/runner-pools.ts'
export type * from './tables/runs/bulk-actions.ts'
export type * from './tables/runs/run-tallies.ts'
export type * from './tables/runs.ts'
export type * from './tables/state-counts.ts'
export type * from './tables/tenancy.ts'
export type * from './tables/usage.ts'
export type * from './tables/webhooks.ts'
export type * from './tables/workflows.ts'

export interface Tables
  extends BillingTables,
    BulkActionTables,
    ConfigurationTables,
    DeliveryTables,
    EntityTables,
    HistoryTables,
    IntegrationTables,
    JobTables,
    NoticeTables,
    OAuthTables,
    OperationTables,
    ProjectsTables,
    RunnerPoolTables,
    RunsTables,
    ReadinessTables,
    RunTallyTables,
    StateCountTables,
    TenancyTables,
    UsageTables,
    WebhookTables,
    WorkflowTables {}
