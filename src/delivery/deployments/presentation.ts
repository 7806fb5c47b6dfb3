/** The presentation of a deployed Agent for chat windows. Source: contract 3, `presentation`, `agents:render-presentation`. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import type { EnvironmentContext } from '../../../machines/environment.ts'
import { DamagedRecord } from '../../../storage/errors.ts'
import type { EnvironmentRow } from '../../../storage/tables.ts'
import { agentNotDeployed, noActiveDeployment, orNotFound } from '../../platform/http/answers/errors.ts'
import { doc } from '../../platform/http/doc.ts'
import type { Guarded } from '../../platform/http/guard/guarded.ts'
import { AgentInEnvironmentPath } from '../../platform/http/paths.ts'
import { dataOf, Id, nullable } from '../../platform/http/schema.ts'
import type { Actors } from '../../runtime/actors.ts'
import { environmentAddress } from '../../tenancy/environments/actor.ts'
import type { Bundles } from './bundles.ts'

const Presentation = Type.Object(
  {
    agentId: Id('agt'),
    agentRevisionId: Id('agr'),
    deploymentId: Id('dep'),
    displayName: Type.String({ description: "The name in the revision, else the Agent's name." }),
    greeting: nullable(Type.String({ description: 'The first message of the Agent.' })),
    suggestedQueries: Type.Array(Type.String(), { description: 'Queries to suggest to people.' }),
  },
  { $id: 'AgentPresentation', description: 'The presentation of an Agent to people.' },
)

export function presentationRoutes({
  guarded,
  actors,
  bundles,
}: {
  guarded: Guarded
  actors: Actors
  bundles: Bundles
}) {
  return new Elysia({ name: 'agent-presentations', tags: ['Agents'] }).use(guarded).get(
    '/api/v1/projects/:projectId/environments/:environmentId/agents/:agentId/presentation',
    async ({ params: { environmentId, agentId } }) => {
      const environment = orNotFound(
        await actors.read<EnvironmentRow, EnvironmentContext>(environmentAddress(environmentId)),
      )
      const { activeDeploymentId: deploymentId } = environment.context
      if (deploymentId === null) throw noActiveDeployment()
      const bundle = await bundles.find(deploymentId)
      if (!bundle) throw new DamagedRecord(`The active Deployment ${deploymentId} has no bundle.`)
      const agent = bundle.agent(agentId)
      if (!agent) throw agentNotDeployed()
      const { displayName = agent.name, greeting = null, suggestedQueries = [] } = agent.content.presentation ?? {}
      const { agentRevisionId } = agent
      return { data: { agentId, agentRevisionId, deploymentId, displayName, greeting, suggestedQueries } }
    },
    {
      permission: 'agents:render-presentation',
      params: AgentInEnvironmentPath,
      response: { 200: dataOf(Presentation) },
      errors: ['no_active_deployment', 'agent_not_deployed'],
      detail: doc(
        'getAgentPresentation',
        "Get an Agent's presentation",
        'From the active Deployment of the Environment.',
      ),
    },
  )
}
