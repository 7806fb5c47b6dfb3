/** The schemas of access grants. Source: contract 1, "Access grant". */
import { type Static, Type } from '@sinclair/typebox'
import type { AccessGrantRow } from '../../../storage/tables.ts'
import { Id, oneOf, Timestamp } from '../../platform/http/schema.ts'
import { timestamp } from '../../platform/http/timestamp.ts'

const Subject = Type.Object({
  type: oneOf(['user', 'userGroup']),
  id: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'usr_… or ugr_…, of the same organization.',
    examples: ['usr_01h455vb4pex5vsknk084sn02q'],
  }),
})

export const AccessGrant = Type.Object(
  {
    id: Id('grt'),
    projectId: Id('prj'),
    subject: Subject,
    permissions: Type.Array(Type.String(), {
      description: 'Expanded, without wildcards.',
      examples: [['agent-runs:create']],
    }),
    createdBy: Type.Object({ type: oneOf(['user', 'apiKey']), id: Type.String() }),
    createdAt: Timestamp(),
  },
  { $id: 'AccessGrant', description: 'Permissions of a member or a user group in a Project, beyond their role.' },
)
export type AccessGrant = Static<typeof AccessGrant>

/** Exactly one of user and group is set. */
const subjectOf = ({ user_id, user_group_id }: AccessGrantRow): AccessGrant['subject'] =>
  user_id === null ? { type: 'userGroup', id: user_group_id as string } : { type: 'user', id: user_id }

export const presentGrant = (row: AccessGrantRow): AccessGrant => ({
  id: row.id,
  projectId: row.project_id,
  subject: subjectOf(row),
  permissions: JSON.parse(row.permissions) as string[],
  createdBy: { type: row.created_by_type, id: row.created_by_id },
  createdAt: timestamp(row.created_at),
})

export const GrantCreation = Type.Object(
  {
    subject: Subject,
    permissions: Type.Array(Type.String({ minLength: 1, maxLength: 100 }), {
      minItems: 1,
      maxItems: 200,
      description: 'Names of permissions, `family:*` or `*`; only permissions within a Project.',
      examples: [['agents:*', 'agent-runs:create']],
    }),
  },
  { $id: 'NewAccessGrant', description: 'A new access grant.' },
)
export type GrantCreation = typeof GrantCreation.static

export const GrantPath = Type.Object({ projectId: Id('prj'), grantId: Id('grt') })
