/** The rows of the matrix, and the paths and rows that several wings share. */
import type { Ids } from '../furnish.ts'

/**
 * The scope of an operation.
 * - `everybody`: no credential of an organization is required.
 * - `user`: any signed-in user, whatever the organization.
 * - `catalogue`: the same for all organizations.
 * - `list`: of the organization, filtered by what the credential can access.
 * - `tallied`: the same, for totals that are not split by Agent: forbidden for keys of an Agent.
 * - `create`: creates a resource in the parent that the body names.
 * - `platform`: a resource of the platform outside all Projects: not found for bound keys.
 * - `whole`: the organization as a whole, without naming it; what its ids name belongs to an organization.
 * - `ownOrganization`: the path names the organization; if it is foreign the operation, which lists no 404, returns 403.
 * - `organization`, `project`, `environment`, `agent`: the path names it; `agentThere`: an Agent in an Environment.
 * - `environmentAsAWhole`: the same, not split by Agent: forbidden for keys of an Agent.
 * - `ofAgent`: a resource of an Agent in an Environment, by its id: not found for keys of other Agents.
 * - `madeThere`: creates a resource in the Environment that the query names.
 * - `run`: a resource with a scope of its own, here in no Project: not found for bound keys.
 * - `deletion`: a resource that is being deleted; there is none here, so every caller gets 404.
 * - `named`: the Project that the body names; in another organization it names another one.
 * - `actor`: an Environment, or a resource in it, by its id alone: a key bound to an Agent may read it.
 */
export type Level =
  | 'everybody'
  | 'user'
  | 'catalogue'
  | 'list'
  | 'tallied'
  | 'create'
  | 'platform'
  | 'whole'
  | 'organization'
  | 'ownOrganization'
  | 'project'
  | 'environment'
  | 'environmentAsAWhole'
  | 'agent'
  | 'agentThere'
  | 'ofAgent'
  | 'madeThere'
  | 'run'
  | 'named'
  | 'actor'
  | 'deletion'

export interface Row {
  level: Level
  /** Values of the path parameters. */
  path?: (ids: Ids) => Record<string, string>
  query?: (ids: Ids) => Record<string, string>
  body?: (ids: Ids) => object
  /** The operation lists no 403. */
  hidden?: true
  /** Other permissions that also grant access. */
  or?: string[]
  /** Callers with access get 404, since there is no such resource. */
  missing?: true
  /** An accepted request would delete what other rows need; it is not sent. */
  destroys?: true
  /** Sent like a write, authorized like a read. */
  changesNothing?: true
  /** The response is a stream without an end. */
  endless?: true
}

export const organization = ({ organization }: Ids) => ({ organizationIdOrSlug: organization })
export const project = ({ project }: Ids) => ({ projectId: project })
export const environment = (ids: Ids) => ({ ...project(ids), environmentId: ids.environment })
export const agentThere = (ids: Ids) => ({ ...environment(ids), agentId: ids.agent })
export const everybody: Row = { level: 'everybody' }
export const user: Row = { level: 'user' }
export const ofOrganization: Row = { level: 'organization', path: organization }
export const ofProject: Row = { level: 'project', path: project }
export const ofEnvironment: Row = { level: 'environment', path: environment }
export const ofAgentThere: Row = { level: 'agentThere', path: agentThere }
