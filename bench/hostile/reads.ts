/** Many requests at once, each with an answer that takes the server milliseconds. */
import { deployAgent, send } from '../environments.ts'
import { requestBytes } from '../http-client.ts'
import type { Server } from '../server.ts'
import type { Attack } from './attack.ts'

const clients = 256

let projects = 0

/** A Project with two revisions of an Agent, each of almost a megabyte; returns the path of the Agent. */
async function agentWithLargeRevisions(server: Server) {
  projects += 1
  const { path, agentId } = await deployAgent(server, `large-${projects}`)
  const project = path.slice(0, path.indexOf('/environments/'))
  const revisions: string[] = []
  for (const from of [0, 1]) {
    const list = Array.from({ length: 60_000 }, (_, index) => `item ${index + from}`)
    const content = { instructions: 'Answer.', metadata: { list } }
    const { id } = await send(server, 'POST', `${project}/agents/${agentId}/revisions`, { content })
    revisions.push(id)
  }
  return { project, agentId, revisions }
}

const get = ({ key }: Server, path: string) => [requestBytes('GET', path, { key })]

export const readAttacks: Attack[] = [
  {
    what: 'reads of a revision of 800 KB',
    clients,
    async prepare(server) {
      const { project, agentId, revisions } = await agentWithLargeRevisions(server)
      return get(server, `${project}/agents/${agentId}/revisions/${revisions[0]}`)
    },
  },
  {
    what: 'comparisons of large Releases',
    clients: 64,
    async prepare(server) {
      const { project, agentId, revisions } = await agentWithLargeRevisions(server)
      const releases: string[] = []
      for (const agentRevisionId of revisions) {
        const pins = { agents: [{ agentId, agentRevisionId }], definitions: [] }
        releases.push((await send(server, 'POST', `${project}/releases`, pins)).id)
      }
      return get(server, `${project}/releases/${releases[1]}/diff?against=${releases[0]}`)
    },
  },
  { what: 'searches in all resources', clients, prepare: async (server) => get(server, '/api/v1/resources?search=a') },
  { what: 'scrapes', clients, prepare: async () => [requestBytes('GET', '/metrics', {})] },
  { what: 'reads of the API document', clients, prepare: async () => [requestBytes('GET', '/docs/json', {})] },
]
