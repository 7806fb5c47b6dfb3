/** A Project with two Agents, an organization variable of two versions, and a function that makes variables. */

import { openWorld, type World } from '../../support/world/world.ts'
import { organizationVariablesPath } from '../provider-credentials/world.ts'

type Project = Awaited<ReturnType<World['project']>>

/** The path of the variables of one of the Project's Environments. */
export const variablesOf = ({ path, environments }: Project, index: 0 | 1 | 2 = 0) =>
  `${path}/environments/${environments[index]}/variables`

export async function openVariables() {
  const world = await openWorld()
  const project = await world.project()
  const base = variablesOf(project)
  const agentIn = async (projectPath: string, slug: string): Promise<string> =>
    (await world.owner.post(`${projectPath}/agents`, { slug, name: slug })).body.data.id
  const { body } = await world.owner.post(organizationVariablesPath, { name: 'SOURCE', value: 'hunter2' })
  const source = { id: body.data.id as string, path: `${organizationVariablesPath}/${body.data.id}` }
  await world.owner.patch(source.path, { value: 'hunter22' })
  let count = 0
  return {
    world,
    project,
    base,
    source,
    agentIn,
    agentId: await agentIn(project.path, 'one'),
    otherAgentId: await agentIn(project.path, 'other'),
    /** A new variable with a unique name. */
    async variable(changes: object = { value: 'hunter2' }, under = base) {
      count += 1
      const { status, body } = await world.owner.post(under, { name: `VARIABLE_${count}`, ...changes })
      if (status !== 200) throw new Error(`${status}: ${JSON.stringify(body)}`)
      const { id, name } = body.data as { id: string; name: string }
      return { id, name, path: `${under}/${id}`, data: body.data }
    },
  }
}

export type VariablesWorld = Awaited<ReturnType<typeof openVariables>>
