/** Configuration Revisions: immutable snapshots of an Environment's configuration. Source: requirement 1; contract 3. */
import { write } from './statement.ts'
import type { ConfigurationRevisionRow } from './tables.ts'

export const insertConfigurationRevision = write((db, row: ConfigurationRevisionRow) =>
  db.insertInto('configuration_revisions').values(row),
)
