/** The schemas of organizations. Source: requirement 2; contract 2. */
import { type Static, Type } from '@sinclair/typebox'
import { Id, Name, nullable, oneOf, Slug, saying, Timestamp } from '../../platform/http/schema.ts'
import { RunLimits } from '../../platform/models/prices/schema.ts'
import { DeletionProgress } from '../deletions/progress.ts'

export const Organization = Type.Object(
  {
    id: Id('org'),
    slug: Slug('Unique in the deployment'),
    name: Type.String(),
    kind: oneOf(['team', 'personal'], { description: 'Only a team can be deleted.' }),
    status: oneOf(['active', 'deleting']),
    runLimits: Type.Optional(saying(RunLimits, 'The limits of each run of the organization; omitted without limits.')),
    deletion: Type.Optional(DeletionProgress),
    createdAt: Timestamp(),
    updatedAt: Timestamp(),
  },
  { $id: 'Organization', description: 'The tenant that owns Projects, members and keys; isolated from all others.' },
)
export type Organization = Static<typeof Organization>

export const OrganizationBody = Type.Object(
  { name: Name(), slug: Slug() },
  { $id: 'NewOrganization', description: 'A new organization.' },
)
export type OrganizationBody = Static<typeof OrganizationBody>

export const OrganizationPatch = Type.Object(
  {
    name: Type.Optional(Name()),
    slug: Type.Optional(Slug()),
    runLimits: Type.Optional({
      ...nullable(RunLimits),
      description: 'The limits of each run that starts from now on; null removes them.',
    }),
  },
  { $id: 'OrganizationChanges', description: 'The fields to change.' },
)
export type OrganizationPatch = Static<typeof OrganizationPatch>

export const OwnPermissionsQuery = Type.Object({
  projectId: Type.Optional(Id('prj', 'Adds what access grants give in this Project.')),
})
export type OwnPermissionsQuery = Static<typeof OwnPermissionsQuery>

export const OwnPermissions = Type.Object(
  {
    role: oneOf(['owner', 'admin', 'member'], { description: "The user's role in the organization." }),
    permissions: Type.Array(Type.String(), {
      description: 'Expanded, without wildcards.',
      examples: [['agents:get', 'agent-runs:create']],
    }),
  },
  { $id: 'OwnPermissions', description: 'What the caller may do, in the whole organization or in a Project.' },
)
export type OwnPermissions = Static<typeof OwnPermissions>
