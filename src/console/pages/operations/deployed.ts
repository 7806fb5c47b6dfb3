/** Agents, operations, workflows and entity types of the active Deployment. */
import type {
  EntitySource,
  Operation,
  OperationsSource,
  WorkflowSource,
} from '../../../authoring/definitions/source.ts'
import { ApiFailure, sent } from '../../api/client.ts'
import { type Access, useAccess } from '../../data/context.ts'
import { once } from '../../data/queries.ts'
import { type Resource, useReading } from '../../data/resource.ts'
import { wholeList } from '../../data/whole-list.ts'
import { useIds } from '../../use-place.ts'
import { readRelease } from '../delivery/pinned.ts'

interface DeployedAgent {
  id: string
  name: string
  revisionId: string
}

interface Named<Source> {
  name: string
  source: Source
}

export interface Deployed {
  /** null: no active Deployment. */
  deploymentId: string | null
  agents: DeployedAgent[]
  /** Keyed by `<definition>.<operation>`. */
  operations: ReadonlyMap<string, Operation>
  workflows: Named<WorkflowSource>[]
  entities: Named<EntitySource>[]
}

interface Path {
  projectId: string
  environmentId: string
}

const nothing: Deployed = { deploymentId: null, agents: [], operations: new Map(), workflows: [], entities: [] }

/** Source of a Definition Revision; null if deleted. */
export const readSource = (
  { api, queries }: Access,
  projectId: string,
  definitionId: string,
  revisionId: string,
): Promise<unknown> =>
  once(queries, `source ${revisionId}`, async () => {
    const revision = api.v1.projects({ projectId }).definitions({ definitionId }).revisions({ revisionId })
    try {
      return (await sent(revision.get())).data.source as unknown
    } catch (thrown) {
      if (thrown instanceof ApiFailure && thrown.status === 404) return null
      throw thrown
    }
  })

async function readDeployed(access: Access, { projectId, environmentId }: Path): Promise<Deployed> {
  const { api, queries } = access
  const project = api.v1.projects({ projectId })
  const environment = project.environments({ environmentId })
  const { activeDeploymentId: deploymentId } = (await sent(environment.get())).data
  if (deploymentId === null) return nothing
  const read = async () => (await sent(environment.deployments({ deploymentId }).get())).data
  const { releaseId } = await once(queries, deploymentId, read)
  const [release, agents, definitions] = await Promise.all([
    readRelease(access, projectId, releaseId),
    wholeList((query) => project.agents.get({ query })),
    wholeList((query) => project.definitions.get({ query })),
  ])
  const known = new Map(definitions.map((definition) => [definition.id, definition]))
  const pinned = await Promise.all(
    release.definitions.map(async ({ definitionId, definitionRevisionId }) => {
      const definition = known.get(definitionId)
      const source = definition && (await readSource(access, projectId, definitionId, definitionRevisionId))
      return source ? { name: definition.name, kind: definition.kind, source } : undefined
    }),
  )
  const there = pinned.filter((one) => one !== undefined)
  const ofKind = <Source>(wanted: string) =>
    there.filter(({ kind }) => kind === wanted).map(({ name, source }) => ({ name, source: source as Source }))
  const names = new Map(agents.map(({ id, name }) => [id, name]))
  return {
    deploymentId,
    agents: release.agents.map(({ agentId: id, agentRevisionId: revisionId }) => ({
      id,
      revisionId,
      name: names.get(id) ?? id,
    })),
    operations: new Map(
      ofKind<OperationsSource>('operations').flatMap(({ name, source }) =>
        source.operations.map((operation) => [`${name}.${operation.name}`, operation] as const),
      ),
    ),
    workflows: ofKind<WorkflowSource>('workflow'),
    entities: ofKind<EntitySource>('entity'),
  }
}

/** For the Environment in the address. */
export function useDeployed(): Resource<Deployed> {
  const access = useAccess()
  const path = useIds('projectId', 'environmentId')
  return useReading(['deployed', path.environmentId], () => readDeployed(access, path))
}

/** Operations granted to a deployed Agent: `<definition>.<operation>`. */
export function useGrants(agent: DeployedAgent | undefined): Resource<string[]> {
  const { api, queries } = useAccess()
  const { projectId } = useIds('projectId')
  const read = async ({ id: agentId, revisionId }: DeployedAgent) =>
    (await sent(api.v1.projects({ projectId }).agents({ agentId }).revisions({ revisionId }).get())).data
      .grantedOperations
  return useReading(agent ? ['grants', agent.revisionId] : null, () =>
    agent ? once(queries, `grants ${agent.revisionId}`, () => read(agent)) : Promise.resolve([]),
  )
}
