/** Contents of Releases and Deployments: immutable, so read once. */

import type { Release } from '../../../authoring/releases/schema.ts'
import type { ConfigurationRevision } from '../../../delivery/configuration-revisions/schema.ts'
import type { Deployment } from '../../../delivery/deployments/schema.ts'
import { ApiFailure, sent } from '../../api/client.ts'
import type { Access } from '../../data/context.ts'
import { once } from '../../data/queries.ts'
import { shortenedId } from '../../ui/text/shortened-id.ts'

/** Revision number by Agent or Definition id; null if deleted. Without permission it is the id of the revision. */
export type Numbers = ReadonlyMap<string, number | string | null>

/** A ready Deployment with all it pins. */
export interface Served {
  deployment: Deployment
  release: Release
  configuration: ConfigurationRevision
  numbers: Numbers
}

const orNull = async (reading: Promise<{ data: { number: number } }>): Promise<number | null> => {
  try {
    return (await reading).data.number
  } catch (thrown) {
    if (thrown instanceof ApiFailure && thrown.status === 404) return null
    throw thrown
  }
}

/** The number is read once, and a refused one again on the next use. */
async function numberOf(
  { queries }: Access,
  revisionId: string,
  read: () => Promise<{ data: { number: number } }>,
): Promise<number | string | null> {
  try {
    return await once(queries, `number ${revisionId}`, () => orNull(read()))
  } catch (thrown) {
    if (thrown instanceof ApiFailure && thrown.status === 403) return shortenedId(revisionId)
    throw thrown
  }
}

/** Numbers of the revisions that a Release pins. */
export async function readNumbers(access: Access, { projectId, agents, definitions }: Release): Promise<Numbers> {
  const project = access.api.v1.projects({ projectId })
  const ofAgents = agents.map(async ({ agentId, agentRevisionId: revisionId }) => {
    const read = () => sent(project.agents({ agentId }).revisions({ revisionId }).get())
    return [agentId, await numberOf(access, revisionId, read)] as const
  })
  const ofDefinitions = definitions.map(async ({ definitionId, definitionRevisionId: revisionId }) => {
    const read = () => sent(project.definitions({ definitionId }).revisions({ revisionId }).get())
    return [definitionId, await numberOf(access, revisionId, read)] as const
  })
  return new Map(await Promise.all([...ofAgents, ...ofDefinitions]))
}

export const readRelease = ({ api, queries }: Access, projectId: string, releaseId: string): Promise<Release> =>
  once(queries, releaseId, async () => (await sent(api.v1.projects({ projectId }).releases({ releaseId }).get())).data)

interface EnvironmentPath {
  projectId: string
  environmentId: string
}

export const readConfiguration = (
  { api, queries }: Access,
  { projectId, environmentId }: EnvironmentPath,
  configurationRevisionId: string,
): Promise<ConfigurationRevision> =>
  once(queries, configurationRevisionId, async () => {
    const environment = api.v1.projects({ projectId }).environments({ environmentId })
    const revision = environment['configuration-revisions']({ configurationRevisionId })
    return (await sent(revision.get())).data
  })

export async function readServed(access: Access, path: EnvironmentPath, deploymentId: string): Promise<Served> {
  const { projectId, environmentId } = path
  const environment = access.api.v1.projects({ projectId }).environments({ environmentId })
  const deployment = await once(
    access.queries,
    deploymentId,
    async () => (await sent(environment.deployments({ deploymentId }).get())).data,
  )
  const [release, configuration] = await Promise.all([
    readRelease(access, projectId, deployment.releaseId),
    readConfiguration(access, path, deployment.configurationRevisionId),
  ])
  return { deployment, release, configuration, numbers: await readNumbers(access, release) }
}
