/** Definitions and revisions as they are stored and as they are shown. Source: contract 3. */
import { newId } from '../../../storage/ids.ts'
import type { DefinitionRevisionRow, DefinitionRow } from '../../../storage/tables.ts'
import { digestOf } from '../../platform/http/digest.ts'
import type { Caller } from '../../platform/http/guard/caller.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Definition, DefinitionRevision } from './schema.ts'
import type { DefinitionSource } from './source.ts'

interface NewDefinitionRevision {
  organizationId: string
  definitionId: string
  source: DefinitionSource
  by: Caller['principal']
  /** Epoch milliseconds. */
  at: number
}

/** A row for a new revision; its number comes with the insert. The source is stored as it was written: a model reads a schema in its author's order. */
export function revisionRow(revision: NewDefinitionRevision): Omit<DefinitionRevisionRow, 'number'> {
  const { organizationId, definitionId, source, by, at } = revision
  return {
    id: newId('dfr', at),
    organization_id: organizationId,
    definition_id: definitionId,
    source: JSON.stringify(source),
    source_digest: digestOf(source),
    created_by_type: by.type,
    created_by_id: by.id,
    created_at: at,
  }
}

export const presentDefinition = (row: DefinitionRow): Definition => ({
  id: row.id,
  projectId: row.project_id,
  name: row.name,
  kind: row.kind,
  description: row.description,
  status: row.status,
  latestRevisionId: row.latest_revision_id,
  createdAt: timestamp(row.created_at),
  updatedAt: timestamp(row.updated_at),
})

export const presentRevision = (row: DefinitionRevisionRow): DefinitionRevision => ({
  id: row.id,
  definitionId: row.definition_id,
  number: row.number,
  source: JSON.parse(row.source) as DefinitionSource,
  sourceDigest: row.source_digest,
  createdBy: { type: row.created_by_type, id: row.created_by_id },
  createdAt: timestamp(row.created_at),
})
