/** A Project to deliver. */
import type { Troupe } from '../../support/troupe.ts'

let made = 0
/** A Project with an Agent and a Release; its first Environment is not set up yet. */
export async function projectOf({ owner }: Troupe, content: object = {}) {
  const project = (await owner.post('/api/v1/projects', { name: `Shop ${++made}`, slug: `shop-${made}` })).body.data
  const path = `/api/v1/projects/${project.id}`
  const agent = (await owner.post(`${path}/agents`, { name: 'Clerk', slug: 'clerk' })).body.data
  const environment = (await owner.get(`${path}/environments`)).body.data.items[0]
  const release = async (instructions: string) => {
    const revision = await owner.post(`${path}/agents/${agent.id}/revisions`, { content: { instructions, ...content } })
    const agents = [{ agentId: agent.id, agentRevisionId: revision.body.data.id }]
    return (await owner.post(`${path}/releases`, { agents })).body.data
  }
  const first = await release('Sell things.')
  const ofEnvironment = `${path}/environments/${environment.id}`
  return {
    project,
    path: ofEnvironment,
    release,
    first,
    page: `/o/default/p/${project.id}/e/${environment.id}`,
    activate: (deploymentId: string, expectedGeneration: number) =>
      owner.post(`${ofEnvironment}/activations`, { deploymentId, expectedGeneration }),
    async deployed(releaseId: string): Promise<string> {
      await owner.patch(ofEnvironment, { lifecycle: 'active', expectedLifecycle: 'provisioning' })
      const { configurationHead } = (await owner.get(ofEnvironment)).body.data
      const configurationRevisionId = configurationHead.revisionId
      const { id } = (await owner.post(`${ofEnvironment}/deployments`, { releaseId, configurationRevisionId })).body
        .data
      for (;;) {
        const { state } = (await owner.get(`${ofEnvironment}/deployments/${id}`)).body.data
        if (['ready', 'failed'].includes(state)) return id
      }
    },
  }
}
