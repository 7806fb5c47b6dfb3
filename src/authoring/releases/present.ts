/** Releases as they are shown. Source: contract 3. */
import type { ReleaseRow } from '../../../storage/tables.ts'
import { timestamp } from '../../platform/http/timestamp.ts'
import type { Release } from './schema.ts'

export const presentRelease = (row: ReleaseRow): Release => ({
  id: row.id,
  projectId: row.project_id,
  number: row.number,
  agents: JSON.parse(row.agents) as Release['agents'],
  definitions: JSON.parse(row.definitions) as Release['definitions'],
  delegateAttachments: JSON.parse(row.delegate_attachments) as Release['delegateAttachments'],
  description: row.description,
  digest: row.digest,
  createdBy: { type: row.created_by_type, id: row.created_by_id },
  createdAt: timestamp(row.created_at),
})
