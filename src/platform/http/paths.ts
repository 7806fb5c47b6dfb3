/** The path schemas that areas share. Source: requirement, "Notation". */
import { Type } from '@sinclair/typebox'
import { Id } from './schema.ts'

const organizationIdOrSlug = Type.String({
  minLength: 1,
  maxLength: 63,
  description: "The organization's id (`org_…`) or slug.",
  examples: ['default'],
})

/** `{Org}`: `/api/v1/organizations/:organizationIdOrSlug` */
export const OrganizationPath = Type.Object({ organizationIdOrSlug })
/** `{Proj}`: `/api/v1/projects/:projectId` */
export const ProjectPath = Type.Object({ projectId: Id('prj') })
/** `{P}`: `/api/v1/projects/:projectId/environments/:environmentId` */
export const EnvironmentPath = Type.Object({ projectId: Id('prj'), environmentId: Id('env') })
/** `{Proj}/agents/:agentId` */
export const AgentPath = Type.Object({ projectId: Id('prj'), agentId: Id('agt') })
/** `{P}/agents/:agentId` */
export const AgentInEnvironmentPath = Type.Object({ ...EnvironmentPath.properties, agentId: Id('agt') })
