/** The tables as Kysely knows them. Instants are epoch milliseconds; JSON is text. The migrations say the rest. */
import type { ConfigurationTables } from './tables/configuration.ts'
import type { DeliveryTables } from './tables/delivery.ts'
import type { HistoryTables } from './tables/history.ts'
import type { ProjectsTables } from './tables/projects.ts'
import type { RunsTables } from './tables/runs.ts'
import type { TenancyTables } from './tables/tenancy.ts'
import type { WebhookTables } from './tables/webhooks.ts'

export type * from './tables/configuration.ts'
export type * from './tables/delivery.ts'
export type * from './tables/history.ts'
export type * from './tables/projects.ts'
export type * from './tables/runs.ts'
export type * from './tables/tenancy.ts'
export type * from './tables/webhooks.ts'

export interface Tables
  extends ConfigurationTables,
    DeliveryTables,
    HistoryTables,
    ProjectsTables,
    RunsTables,
    TenancyTables,
    WebhookTables {}
